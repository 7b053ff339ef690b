import { packageTests } from '../../vitest.shared.ts';

// What a look has found is shared for 0.9 s.
export default packageTests(import.meta.url, {
  options: { testTimeout: 60_000, expect: { poll: { timeout: 15_000, interval: 50 } } },
});
