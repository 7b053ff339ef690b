import { fileURLToPath } from 'node:url';
import { packageTests } from '../../vitest.shared.ts';

export default packageTests(import.meta.url, {
  options: {
    globalSetup: fileURLToPath(new URL('test/support/start-etcd.ts', import.meta.url)),
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
