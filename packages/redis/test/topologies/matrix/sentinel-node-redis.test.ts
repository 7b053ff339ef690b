import { sentinelSuite } from '../support/sentinel-conformance.ts';

await sentinelSuite('node-redis');
