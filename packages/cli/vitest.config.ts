import { packageTests } from '../../vitest.shared.ts';

export default packageTests(import.meta.url, {
  options: { testTimeout: 120_000, hookTimeout: 60_000, expect: { poll: { timeout: 15_000, interval: 20 } } },
});
