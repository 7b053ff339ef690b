import { execFile } from 'node:child_process';
import { mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { openLocks } from '@locks/core';
import type { Claim } from '@locks/core';
import { createFolderProvider } from '@locks/example-custom-provider';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'locks-folder-'));
});

afterEach(() => rm(folder, { recursive: true }));

const claim: Claim = { key: 'report', owner: 'one', ttl: 60_000, mode: 'exclusive' };
const other: Claim = { ...claim, owner: 'other' };

/** Rewrites the state of the only key. */
async function changeState(change: (since: number, until: number) => readonly [number, number]): Promise<void> {
  const [place = ''] = await readdir(folder);
  const name = (await readdir(join(folder, place))).find((each) => each.startsWith('state,')) ?? '';
  const [state, token, since, until, holder] = name.split(',');
  const changed = [state, token, ...change(Number(since), Number(until)), holder].join();
  await rename(join(folder, place, name), join(folder, place, changed));
}

test('openLocks takes it by its module id', async () => {
  const url = `${pathToFileURL(join(folder, 'made', 'on demand')).href}?timeout=2s&ttl=10s`;
  const locks = await openLocks({ provider: '@locks/example-custom-provider', url, requires: { scope: 'host' } });
  const lease = await locks.acquire('report');
  expect(lease.remaining).toBeLessThanOrEqual(10_000);
  expect(await locks.tryAcquire('report')).toBeNull();
  await locks.close();
});

test.each([
  ['no URL', {}, /needs a file: URL/],
  ['a URL of something else', { url: 'redis://localhost' }, /needs a file: URL/],
  ['an unknown option', { url: 'file:///tmp?timeuot=2s' }, /Did you mean "timeout"/],
  ['a timeout that is none', { url: 'file:///tmp?timeout=soon' }, /"timeout" must be an integer from 10 to 600000/],
])('refuses %s', async (_what, config, message) => {
  const opened = openLocks({ provider: '@locks/example-custom-provider', ...config });
  await expect(opened).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED', message: expect.stringMatching(message) });
});

test('a folder that can never be one is misconfigured; one that fails now is not available', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(createFolderProvider(file).inspect('report')).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  const tooLong = join(folder, 'n'.repeat(300));
  await expect(createFolderProvider(tooLong).inspect('report')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
});

test('calls settle in time though the folder does not answer, and go on when it does', async () => {
  const provider = createFolderProvider(folder, 200);
  await createFolderProvider(folder).tryAcquire(claim);
  const [place = ''] = await readdir(folder);
  const file = (await readdir(join(folder, place))).find((name) => name.startsWith('holder-')) ?? '';
  const [path, aside] = [join(folder, place, file), join(folder, 'aside')];
  await rename(path, aside);
  // To open a pipe without a writer never ends.
  await promisify(execFile)('mkfifo', [path]);

  const unavailable = { code: 'LOCK_UNAVAILABLE', message: expect.stringContaining('did not answer') };
  const calls = [provider.inspect(claim.key), provider.renew(claim), provider.tryAcquire({ ...other, key: 'another' })];
  await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(unavailable)));

  const pipe = await open(path, 'w');
  await rename(aside, path);
  await pipe.close();
  await vi.waitFor(async () => expect(await provider.renew(claim)).toEqual({}), 20_000);
});

test('a hold of before the last start of the machine is over, and tokens go on', async () => {
  const provider = createFolderProvider(folder);
  const first = await provider.tryAcquire(claim);
  const [hour, year] = [3_600_000_000, 365 * 86_400_000_000];
  // The clock starts anew with the machine: what was written before lies in its future.
  await changeState((since, until) => [since + year, until + year + hour]);
  expect(await provider.renew(claim)).toBe(false);
  const second = await provider.tryAcquire(other);
  expect(first.granted && second.granted && second.token > first.token).toBe(true);
});

test('tokens go on where a clock has gone back', async () => {
  const [floor, provider] = [2n ** 52n, createFolderProvider(folder)];
  expect(await provider.tryAcquire({ ...claim, floor })).toMatchObject({ token: floor + 1n });
  await provider.release(claim);
  expect(await provider.tryAcquire(other)).toMatchObject({ token: floor + 2n });
});
