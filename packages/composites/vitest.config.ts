import { packageTests } from '../../vitest.shared.ts';
import { coreSource } from '../core/test/support/core-source.ts';

export default packageTests(import.meta.url, {
  // Some compute, for seconds on a machine that does other things too.
  options: { testTimeout: 120_000 },
  alias: coreSource,
});
