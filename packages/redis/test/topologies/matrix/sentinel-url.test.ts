import { sentinelSuite } from '../support/sentinel-conformance.ts';

await sentinelSuite('from a URL');
