import { ofLevel } from '../../support/requirements.ts';
import { overConnections, sentinelSuite } from '../support/sentinel-conformance.ts';

await sentinelSuite('from a URL, over node-redis', ofLevel('provider', overConnections));
