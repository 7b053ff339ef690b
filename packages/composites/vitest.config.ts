import { packageTests } from '../../vitest.shared.ts';
import { coreSource } from '../core/test/support/core-source.ts';

export default packageTests(import.meta.url, {
  // Some compute for ten seconds, or a minute where other work needs the processors.
  options: { testTimeout: 120_000 },
  alias: coreSource,
});
