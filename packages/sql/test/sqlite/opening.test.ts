import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLocks, openLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import { connect } from '../support/databases.ts';
import { ownFile } from './support/own.ts';
import type { TestFile } from './support/file.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

const run = promisify(execFile);

interface Answer {
  readonly code: string;
  readonly message: string;
}

/** What a process answers that opens `first` as this user, and the others without being root. */
async function openAsUser(...[first, ...paths]: readonly string[]): Promise<readonly Answer[]> {
  const script = fileURLToPath(new URL('support/open-file.mjs', import.meta.url));
  const { stdout } = await run(process.execPath, [script, String(first), ...paths], { cwd: '/' });
  return answersIn(stdout);
}

function answersIn(output: string): readonly Answer[] {
  const lines = output.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Answer);
}

/** A file with the tables in a folder of its own, which each user may write to. */
function fileIn({ folder, path, observer }: TestFile, name: string): { folder: string; path: string } {
  observer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const own = { folder: join(folder, name), path: join(folder, name, 'locks.db') };
  mkdirSync(own.folder);
  copyFileSync(path, own.path);
  chmodSync(folder, 0o777);
  chmodSync(own.folder, 0o777);
  chmodSync(own.path, 0o666);
  return own;
}

test.runIf(process.platform !== 'win32')('a file that may not be written is refused, with the reason', async () => {
  const file = ownFile();
  const usable = fileIn(file, 'usable');
  const readOnly = fileIn(file, 'read-only');
  chmodSync(readOnly.path, 0o444);
  const secret = fileIn(file, 'secret');
  chmodSync(secret.path, 0o000);
  const inReadOnly = fileIn(file, 'in read-only');
  chmodSync(inReadOnly.folder, 0o555);
  const hidden = fileIn(file, 'hidden');
  chmodSync(hidden.folder, 0o600);
  const otherLog = fileIn(file, 'log of another user');
  writeFileSync(`${otherLog.path}-wal`, '', { mode: 0o600 });
  const paths = [usable, readOnly, secret, inReadOnly, hidden, otherLog].map(({ path }) => path);
  const [opened, ...answers] = await openAsUser(fileIn(file, 'first').path, ...paths);
  expect(opened).toEqual({ code: 'opened', message: '' });
  const reasons = [
    /may not read and write it/,
    /may not read and write it/,
    /may not write into its folder/,
    /look at it/,
    /the file beside it that ends in -wal/,
  ];
  for (const [index, { code, message }] of answers.entries()) {
    expect(code).toBe('LOCK_MISCONFIGURED');
    expect(message).toContain(JSON.stringify(paths[index + 1]));
    expect(message).toMatch(reasons[index]!);
  }
  for (const { folder } of [inReadOnly, hidden]) chmodSync(folder, 0o777);
});

test.runIf(process.platform !== 'win32')('a device is refused before anything is written to it', async () => {
  for (const path of ['/dev/null', '/dev/full']) {
    await expect(openLocks(`sqlite:${path}`)).rejects.toMatchObject(misconfigured(`"${path}": it is a device`));
  }
});

test('a file with two names is refused by each way to open it, as each has a log of its own', async () => {
  const file = ownFile();
  const other = join(file.folder, 'other.db');
  linkSync(file.path, other);
  const knex = createSqlProvider(connect(`sqlite:${other}`));
  onTestFinished(() => knex.close());
  const attempts = [
    () => openLocks(`sqlite:${other}`),
    () => openLocks(file.url),
    () => createLocks(knex).acquire('job', { wait: 1_000 }),
  ];
  for (const attempt of attempts)
    await expect(attempt()).rejects.toMatchObject(misconfigured('it has 2 names (hard links)'));
  rmSync(other);
  symlinkSync(file.path, other);
  await (await openLocks(`sqlite:${other}`)).close();
});

/** A container's root may not mount. */
const mounts = spawnSync('unshare', ['-m', 'true']).status === 0;

test.runIf(mounts)('a file that is mounted alone is refused, and one in a folder that is mounted is not', async () => {
  const file = ownFile();
  const script = fileURLToPath(new URL('support/open-file.mjs', import.meta.url));
  const folder = join(file.folder, 'a mounted folder');
  const alone = join(file.folder, 'mounted "alone".db');
  mkdirSync(folder);
  writeFileSync(alone, '');
  const shell = 'mount --bind "$1" "$2" && mount --bind "$3" "$4" && shift 4 && exec "$@"';
  const within = join(folder, 'locks.db');
  const mountings = [file.folder, folder, file.path, alone];
  const command = ['-m', 'sh', '-c', shell, 'sh', ...mountings, process.execPath, script, file.path, within, alone];
  const { stdout } = await run('unshare', command, { cwd: '/', env: { ...process.env, LOCKS_TEST_AS_ROOT: '1' } });
  expect(answersIn(stdout)).toEqual([
    { code: 'opened', message: '' },
    {
      code: 'LOCK_MISCONFIGURED',
      message: `@locks/sql cannot use the SQLite file ${JSON.stringify(alone)}: the file alone is mounted, and SQLite keeps its log beside it, where others do not see it; mount the folder.`,
    },
  ]);
});

test('a path that is mistyped is refused, and leaves no file', async () => {
  const path = join(ownFile().folder, 'lcoks.db');
  await expect(openLocks(`sqlite:${path}`)).rejects.toMatchObject(
    misconfigured('lcoks.db": it does not exist; check its path'),
  );
  expect(existsSync(path)).toBe(false);
  await (await openLocks({ url: `sqlite:${path}`, options: { migrate: true } })).close();
  expect(existsSync(path)).toBe(true);
});

test("a file of the caller's knex that cannot be opened is named, with the reason", async () => {
  const path = join(ownFile().folder, 'nowhere', 'locks.db');
  const provider = createSqlProvider(connect(`sqlite:${path}`));
  await expect(createLocks(provider).acquire('job', { wait: 1_000 })).rejects.toMatchObject(
    misconfigured('nowhere/locks.db": its folder does not exist'),
  );
  await provider.close();
});

test.each(['short', 'long'.repeat(2_000)])(
  'another file of the user is left alone, and nothing else advised',
  async (text) => {
    const path = join(ownFile().folder, 'notes.txt');
    writeFileSync(path, text);
    const provider = createSqlProvider(connect(`sqlite:${path}`));
    const attempts = [
      () => openLocks(`sqlite:${path}`),
      () => openLocks(`sqlite:${path}?migrate=true`),
      () => createLocks(provider).acquire('job'),
    ];
    for (const attempt of attempts) {
      const error: unknown = await attempt().catch((reason: unknown) => reason);
      expect(error).toMatchObject(misconfigured(/notes\.txt".*not a database\. Name /));
      expect((error as Error).message).not.toMatch(/delete|remove/i);
    }
    await provider.close();
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);
