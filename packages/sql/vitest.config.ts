import { fileURLToPath } from 'node:url';
import { defaultExclude } from 'vitest/config';
import { packageTests, usual } from '../../vitest.shared.ts';

const shared = 'test/databases/**/*.test.ts';
// What Node 20 does not have.
const newest = 'test/**/*.newest.test.ts';
// It installs a library with an addon, which needs a compiler or a download.
const native = 'test/sqlite/native/*.test.ts';
const long = 'test/databases/**/*.long.test.ts';
// Only those that share servers wait for them.
const globalSetup = fileURLToPath(new URL('test/support/start-databases.ts', import.meta.url));

export default packageTests(import.meta.url, {
  options: { testTimeout: 30_000, hookTimeout: 60_000 },
  projects: {
    ...usual([shared, newest, native]),
    newest: { include: [newest] },
    native: {
      include: [native],
      globalSetup: fileURLToPath(new URL('test/sqlite/native/better-sqlite3.ts', import.meta.url)),
    },
    'test:databases': { include: [shared], exclude: [...defaultExclude, long], globalSetup },
    'long:databases': { include: [long], globalSetup },
  },
});
