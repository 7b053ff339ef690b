import { ofLevel } from '../../support/requirements.ts';
import { overConnections, sentinelSuite } from '../support/sentinel-conformance.ts';

await sentinelSuite('ioredis 6', ofLevel('provider', overConnections));
