import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const packages = fileURLToPath(new URL('../../', import.meta.url));
const { resolve } = createRequire(import.meta.url);
const folderOf = (name: string): string => resolve(name).replace(new RegExp(`(.*/node_modules/${name})/.*`), '$1');

/**
 * What opening `url` says in a project that has both our packages and `others`, and nothing else.
 */
async function opening(url: string, others: readonly string[]): Promise<unknown> {
  const project = await mkdtemp(join(tmpdir(), 'locks-project-'));
  onTestFinished(() => rm(project, { recursive: true }));
  const modules = join(project, 'node_modules');
  await mkdir(join(modules, '@locks'), { recursive: true });
  for (const name of ['core', 'sql']) {
    for (const part of ['package.json', 'dist']) {
      await cp(join(packages, name, part), join(modules, '@locks', name, part), { recursive: true });
    }
  }
  for (const name of others) await symlink(folderOf(name), join(modules, name));
  const script = `
    import { openLocks } from '@locks/core';
    try { await (await openLocks(${JSON.stringify(url)})).close(); console.log('{}'); }
    catch ({ code, message }) { console.log(JSON.stringify({ code, message })); }`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: project });
  return JSON.parse(stdout);
}

test.each([
  ['postgres://x:y@127.0.0.1:1/x', [], 'pg'],
  ['mariadb://x:y@127.0.0.1:1/x', ['knex', 'pg'], 'mysql2'],
  ['sqlite:./locks.db', ['knex'], 'libsql'],
])('%s in a project with %j says what to install', async (url, others, missing) => {
  expect(await opening(url, others)).toEqual({
    code: 'LOCK_MISCONFIGURED',
    message: `@locks/sql needs ${missing}, which is not installed. Run: npm install ${missing}`,
  });
});

test('neither a knex nor the other databases are needed', async () => {
  expect(await opening('sqlite:./locks.db?migrate=true', ['libsql'])).toEqual({});
});
