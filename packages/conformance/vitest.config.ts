import { packageTests } from '../../vitest.shared.ts';

/** Every requirement against every flaw, a few at once: some requirements measure time. */
const few = { testTimeout: 900_000, maxWorkers: 1, maxConcurrency: 5 };
const everything = process.env['LOCKS_TEST_FLAWS'] === 'all' ? few : {};

// Whole runs of the suite are single tests here.
export default packageTests(import.meta.url, { options: { testTimeout: 120_000, maxConcurrency: 10, ...everything } });
