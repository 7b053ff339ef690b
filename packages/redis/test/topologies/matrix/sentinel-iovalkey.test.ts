import { sentinelSuite } from '../support/sentinel-conformance.ts';

await sentinelSuite('iovalkey');
