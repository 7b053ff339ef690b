import { sentinelSuite } from '../support/sentinel-conformance.ts';

await sentinelSuite('ioredis 5');
