import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';
import { ownFile } from './support/own.ts';
import { misconfigured, refusal } from '../../../core/test/support/lock-error.ts';

/** Why `openLocks` refuses a path. */
async function whyNot(path: string): Promise<string> {
  const { code, message } = await refusal(openLocks({ url: `sqlite:${path}`, options: { migrate: true } }));
  expect(code).toBe('LOCK_MISCONFIGURED');
  return message;
}

test('a path where no file can be is refused by name', async () => {
  const { folder } = ownFile();
  const text = join(folder, 'notes.txt');
  writeFileSync(text, 'These are notes, and no database, however long they may be.\n'.repeat(200));
  mkdirSync(join(folder, 'folder.db'));
  const cases = [
    [join(folder, 'folder.db'), /it is a folder/],
    [join(folder, 'nowhere', 'locks.db'), /its folder does not exist/],
    [join(text, 'locks.db'), /folder is a file/],
    [text, /not a database/],
  ] as const;
  for (const [path, why] of cases) {
    const message = await whyNot(path);
    expect(message).toContain(JSON.stringify(path));
    expect(message).toMatch(why);
  }
});

test('a path that libsql would take for an address is that of a file', async () => {
  const { folder } = ownFile();
  const before = process.cwd();
  // Such as a folder named "http:" has it.
  mkdirSync(join(folder, 'http:'));
  const locks = await openLocks({ url: `sqlite:${join(folder, 'http:', 'locks.db')}`, options: { migrate: true } });
  expect(await locks.withLock('job', () => 7)).toBe(7);
  await locks.close();
  expect(process.cwd()).toBe(before);
});

test('a file of ours gets a write-ahead log', async () => {
  const file = ownFile();
  file.observer.exec('PRAGMA journal_mode = DELETE');
  const locks = await openLocks(file.url);
  await locks.withLock('job', () => {});
  const another = new Libsql(file.path);
  expect(another.prepare('PRAGMA journal_mode').all()).toEqual([{ journal_mode: 'wal' }]);
  another.close();
  await locks.close();
});

test('ten at once open a new file and create its tables', async () => {
  const url = `sqlite:${join(ownFile().folder, 'new.db')}`;
  const all = await Promise.all(Array.from({ length: 10 }, () => openLocks({ url, options: { migrate: true } })));
  const tokens = await Promise.all(all.map((locks) => locks.withLock('job', ({ token }) => token)));
  expect(new Set(tokens).size).toBe(10);
  await Promise.all(all.map((locks) => locks.close()));
});

test('a file that another process keeps to itself is waited for, and then unavailable', async () => {
  const file = ownFile();
  file.observer.exec('PRAGMA journal_mode = DELETE');
  const other = new Libsql(file.path);
  onTestFinished(() => void other.close());
  other.exec('BEGIN EXCLUSIVE');
  const error = await refusal(openLocks({ url: file.url, options: { connectTimeout: 300, timeout: 2_000 } }));
  expect(error.code).toBe('LOCK_UNAVAILABLE');
  expect(error.message).not.toMatch(/No connection of the pool became free/);
  const opening = openLocks(file.url);
  setTimeout(() => other.exec('COMMIT'), 50);
  const locks = await opening;
  expect(await locks.withLock('job', () => 7)).toBe(7);
  await locks.close();
});

test('a database in memory is refused: no other connection can see it', async () => {
  const { provider } = locksOver(connect('sqlite::memory:'));
  await expect(provider.inspect('job')).rejects.toMatchObject(misconfigured(/in memory.*memory:/));
});

test('a file whose text is UTF-16 is refused: its keys would be in another order', async () => {
  const { folder } = ownFile();
  const path = join(folder, 'utf-16.db');
  const database = new Libsql(path);
  database.exec(`PRAGMA encoding = 'UTF-16le'; CREATE TABLE something (else_ TEXT)`);
  database.close();
  expect(await whyNot(path)).toMatch(/UTF-16; UTF-8 is needed/);
});

test("a caller's file without a write-ahead log works as well", async () => {
  const file = ownFile();
  file.observer.exec('PRAGMA journal_mode = DELETE');
  let count = 0;
  const work = async (): Promise<void> => {
    const { locks } = locksOver(connect(file.url), {}, { ttl: 5_000 });
    for (let round = 0; round < 25; round += 1) await locks.withLock('job', () => void (count += 1));
  };
  await Promise.all([work(), work()]);
  expect(count).toBe(50);
  expect(file.observer.prepare('PRAGMA journal_mode').all()).toEqual([{ journal_mode: 'delete' }]);
});
