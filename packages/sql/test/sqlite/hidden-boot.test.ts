import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compareBoots } from '../../src/sqlite/boot.ts';
import { ownFile, party } from './support/own.ts';
import { startWorker } from './support/worker.ts';

const permission = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

/** Node's options for a process that may read everything it needs, and not the name of the boot. */
function withoutProc(): readonly string[] {
  const readable = [fileURLToPath(new URL('../../../../', import.meta.url)), realpathSync(tmpdir())];
  return [
    permission,
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${realpathSync(tmpdir())}`,
  ];
}

test('a process that may not read the name of the boot shares locks', async () => {
  const file = ownFile();
  const worker = await startWorker(...withoutProc());
  const first = await party(file);
  const held = await first.locks.acquire('first', { ttl: 60_000 });
  await worker.ask('open', { url: file.url, options: {}, ttl: 60_000 });
  expect(await worker.ask('try', { key: 'first' })).toBe(false);
  await worker.ask('acquire', { key: 'second', ttl: 60_000 });
  const next = await party(file);
  expect(await next.locks.tryAcquire('first')).toBeNull();
  expect(await next.locks.tryAcquire('second')).toBeNull();
  expect(await held.release()).toBe(true);
  expect(await worker.ask('release', { key: 'second' })).toBe(true);
});

test('what it holds since a boot is no hold of before', async () => {
  const file = ownFile();
  const before = await party(file);
  await before.locks.acquire('job', { ttl: 60_000, renew: false });
  file.observer.exec(`UPDATE "locks_host" SET boot = 'an earlier one'`);
  const worker = await startWorker(...withoutProc());
  await worker.ask('open', { url: file.url, options: {}, ttl: 60_000 });
  // It cannot tell. A hold of before has its ttl left at most.
  expect(await worker.ask('try', { key: 'job' })).toBe(false);
  await worker.ask('acquire', { key: 'other', ttl: 60_000 });
  const { locks } = await party(file);
  expect(await locks.tryAcquire('other')).toBeNull();
  expect(await worker.ask('held', { key: 'other' })).toBe(true);
});

test.each([
  ['a new file', '', 'now', 5, { booted: false, name: 'now' }],
  ['a new file, hidden', '', undefined, 5, { booted: false, name: 'unknown' }],
  ['the same boot', 'now', 'now', 5, { booted: false, name: 'now' }],
  ['another boot', 'before', 'now', 5, { booted: true, name: 'now' }],
  ['hidden now', 'now', undefined, 5, { booted: false, name: 'unknown' }],
  ['hidden before', 'unknown', 'now', 5, { booted: false, name: 'unknown' }],
  ['hidden before, another boot by the clock', 'unknown', 'now', 15, { booted: true, name: 'now' }],
  ['hidden now, another boot by the clock', 'before', undefined, 15, { booted: true, name: 'unknown' }],
] as const)('%s', (_, name, boot, written, expected) => {
  expect(compareBoots({ name, written: () => written }, boot, 10)).toEqual(expected);
});
