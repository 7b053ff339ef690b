import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startMariadb, startPostgres } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openDatabases } from '../../support/databases.ts';
import { createModuleApp } from '../module-app.ts';

const [postgres, mariadb] = await Promise.all([startPostgres(), startMariadb()]);
afterAll(async () => {
  await Promise.all([postgres.stop(), mariadb.stop()]);
});

const libraries = ['pg', 'mysql2', 'postgres', 'knex'] as const;

/** Each alone, in the earliest version that is taken and in a late one; what a URL says then. */
const cases: readonly (readonly [string, (typeof libraries)[number], ServerHandle, string])[] = [
  ['pg@8.11.0', 'pg', postgres, 'true\n'],
  ['pg@8.23.1', 'pg', postgres, 'true\n'],
  ['mysql2@3.9.0', 'mysql2', mariadb, 'true\n'],
  ['mysql2@3.24.6', 'mysql2', mariadb, 'true\n'],
  [
    'postgres@3.4.0',
    'postgres',
    postgres,
    'LOCK_MISCONFIGURED @locks/sql needs pg, which is not installed. Run: npm install pg\n',
  ],
  [
    'postgres@3.4.9',
    'postgres',
    postgres,
    'LOCK_MISCONFIGURED @locks/sql needs pg, which is not installed. Run: npm install pg\n',
  ],
];

test.each(cases)(
  'an application with %s alone has locks over it',
  async (installed, library, server, said) => {
    const app = createModuleApp('', [installed]);
    onTestFinished(() => app.remove());
    for (const other of libraries) {
      expect(existsSync(join(app.folder, 'node_modules', other))).toBe(other === library);
    }
    const databases = openDatabases(server.url);
    onTestFinished(() => databases.remove());
    await databases.create('own');
    expect(app.node(['over-client.mjs', library, databases.url('own')])).toBe(said);
  },
  120_000,
);
