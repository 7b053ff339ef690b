import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fillOrCopy } from '../src/local/copies.ts';
import type { Unfilled } from '../src/local/copies.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'locks-test-servers-'));
  await mkdir(join(root, 'copies'));
  vi.stubEnv('LOCKS_TEST_COPIES', join(root, 'copies'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

/** A data folder, which is filled with a secret file in a folder. */
async function server(name: string, kind = 'a /kind'): Promise<Unfilled> {
  const dataFolder = join(root, name, 'data');
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  return {
    folder: join(root, name),
    dataFolder,
    kind,
    async fill() {
      await mkdir(join(dataFolder, 'base'), { mode: 0o700 });
      await writeFile(join(dataFolder, 'base', 'file'), name, { mode: 0o600 });
    },
  };
}

async function contentOf({ dataFolder }: Unfilled): Promise<string> {
  const file = join(dataFolder, 'base', 'file');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  return await readFile(file, 'utf8');
}

test('the first fills its folder, and later ones of its kind have a copy of that', async () => {
  const [first, second, other] = [await server('first'), await server('second'), await server('other', 'another')];
  await fillOrCopy(first);
  await writeFile(join(first.dataFolder, 'base', 'file'), 'written by the server');
  await fillOrCopy({ ...second, fill: () => Promise.reject(new Error('filled again')) });
  await fillOrCopy(other);
  expect(await contentOf(second)).toBe('first');
  expect(await contentOf(other)).toBe('other');
  expect(await readdir(second.dataFolder)).toEqual(['base']);
});

test('several at once fill each its own, and leave one copy', async () => {
  const servers = await Promise.all(Array.from({ length: 5 }, (_, index) => server(`server ${index}`, 'kind')));
  await Promise.all(servers.map((each) => fillOrCopy(each)));
  for (const [index, each] of servers.entries()) expect(await contentOf(each)).toBe(`server ${index}`);
  expect(await readdir(join(root, 'copies'))).toEqual(['kind']);
});

test('one that cannot be filled leaves no copy', async () => {
  const [first, second] = [await server('first'), await server('second')];
  const broken = { ...first, fill: () => Promise.reject(new Error('no disk')) };
  await expect(fillOrCopy(broken)).rejects.toThrow('no disk');
  await fillOrCopy(second);
  expect(await contentOf(second)).toBe('second');
});

test('without the folder each fills its own', async () => {
  vi.stubEnv('LOCKS_TEST_COPIES', undefined);
  const servers = [await server('first'), await server('second')];
  for (const each of servers) await fillOrCopy(each);
  expect(await contentOf(servers[1]!)).toBe('second');
});
