import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openLocks } from '@locks/core';
import type { Claim } from '@locks/core';
import { createFolderProvider } from '@locks/example-custom-provider';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'locks-folder-'));
});

afterEach(() => rm(folder, { recursive: true }));

const claim: Claim = { key: 'report', owner: 'a/one', ttl: 60_000, mode: 'exclusive' };
const other: Claim = { ...claim, owner: 'a/other' };

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

test('a folder that goes away is not available, and is no free key', async () => {
  const provider = await createFolderProvider(folder);
  const [root = ''] = await readdir(folder);
  await rm(join(folder, root), { recursive: true });
  await writeFile(join(folder, root), '');
  await expect(provider.tryAcquire(claim)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
});

test('of many processes at once one is granted, and no draft is left', async () => {
  const providers = await Promise.all(Array.from({ length: 20 }, () => createFolderProvider(folder)));
  const answers = await Promise.all(
    providers.map((provider, number) => provider.tryAcquire({ ...claim, owner: `a/${number}` })),
  );
  expect(answers.filter(({ granted }) => granted)).toHaveLength(1);
  const names = await readdir(folder, { recursive: true });
  expect(names.filter((name) => name.includes('/'))).toHaveLength(3);
});

test('tokens go on after a hold with a floor', async () => {
  const [floor, provider] = [2n ** 52n, await createFolderProvider(folder)];
  expect(await provider.tryAcquire({ ...claim, floor })).toMatchObject({ token: floor + 1n });
  await provider.release(claim);
  expect(await (await createFolderProvider(folder)).tryAcquire(other)).toMatchObject({ token: floor + 2n });
});
