import { fileURLToPath } from 'node:url';
import { packageTests, usual } from '../../vitest.shared.ts';

const interop = 'test/interop/**/*.test.ts';

export default packageTests(import.meta.url, {
  options: { testTimeout: 30_000, hookTimeout: 60_000 },
  projects: {
    ...usual([interop]),
    // Needs Java, Curator and kazoo, which are installed first where that is harmless.
    interop: {
      include: [interop],
      globalSetup: fileURLToPath(new URL('test/interop/support/set-up.ts', import.meta.url)),
      testTimeout: 60_000,
      hookTimeout: 600_000,
    },
  },
});
