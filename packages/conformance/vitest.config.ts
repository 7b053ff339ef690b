import { packageTests } from '../../vitest.shared.ts';

// Whole runs of the suite are single tests here.
export default packageTests(import.meta.url, { options: { testTimeout: 120_000, maxConcurrency: 10 } });
