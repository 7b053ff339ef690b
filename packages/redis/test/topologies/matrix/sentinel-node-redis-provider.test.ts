import { ofLevel } from '../../support/requirements.ts';
import { overConnections, sentinelSuite } from '../support/sentinel-conformance.ts';

await sentinelSuite('node-redis', ofLevel('provider', overConnections));
