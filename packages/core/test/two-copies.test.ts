import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type * as Core from '../src/index.ts';

type Copy = typeof Core;

const bundle = fileURLToPath(new URL('../dist/bundle', import.meta.url));
let folder: string;
let first: Copy;
let second: Copy;

beforeAll(async () => {
  // In such a folder vitest leaves modules to Node.
  folder = join(await mkdtemp(join(tmpdir(), 'locks-copies-')), 'node_modules');
  for (const name of ['first', 'second']) await cp(bundle, join(folder, name), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  first = (await import(pathToFileURL(join(folder, 'first/index.js')).href)) as Copy;
  second = createRequire(import.meta.url)(join(folder, 'second/index.cjs')) as Copy;
});

afterAll(async () => {
  await rm(join(folder, '..'), { recursive: true });
});

/** `Locks` of both copies on one provider. */
function open() {
  const provider = first.createMemoryProvider();
  const options = { findDeadlocks: true };
  const both = { one: first.createLocks(provider, options), other: second.createLocks(provider, options) };
  onTestFinished(async () => {
    await Promise.all([both.one.close(), both.other.close()]);
  });
  return both;
}

it('import and require give one copy', () => {
  const required = createRequire(import.meta.url)(join(folder, 'first/index.cjs')) as Copy;
  expect({ ...first }).toEqual({ ...required });
  expect(required.LockError).toBe(first.LockError);
});

describe('two copies in one process', () => {
  it('are two', () => {
    expect(first.LockError).not.toBe(second.LockError);
  });

  it('exclude each other, and know each other’s errors by code', async () => {
    const { one, other } = open();
    await one.withLock('seat', async () => {
      const error: unknown = await Promise.resolve()
        .then(() => other.acquire('seat', { wait: 0 }))
        .catch((reason: unknown) => reason);
      expect(error).not.toBeInstanceOf(first.LockError);
      expect(first.isLockError(error, 'LOCK_TIMEOUT')).toBe(true);
    });
  });

  it('guard a resource with each other’s leases', async () => {
    const { one, other } = open();
    const guard = first.createFencingGuard();
    const early = await one.acquire('seat');
    await early.release();
    const late = await other.acquire('seat');
    guard.check('resource', late);
    expect(() => guard.check('resource', early)).toThrow(expect.objectContaining({ code: 'LOCK_STALE' }));
    await late.release();
  });

  it('hear each other', async () => {
    const { one, other } = open();
    const heard: string[] = [];
    const subscription = first.subscribe('locks:acquire', ({ key }) => heard.push(key));
    await one.withLock('a', () => {});
    await other.withLock('b', () => {});
    subscription[Symbol.dispose]();
    expect(heard).toEqual(['a', 'b']);
  });

  it.each([
    ['one', 'other'],
    ['other', 'one'],
  ] as const)('find a wait of %s inside of a lock of %s that could not end', async (inner, outer) => {
    const both = open();
    await both[outer].withLock('seat', async () => {
      const error: unknown = await both[inner].acquire('seat').catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'LOCK_DEADLOCK', key: 'seat' });
    });
  });

  it('do not take each other’s lease again', async () => {
    const { one, other } = open();
    await one.withLock(
      'seat',
      async () => {
        expect(await other.tryWithLock('seat', { reentrant: true }, () => 1)).toEqual({ held: false });
        expect(await one.withLock('seat', { reentrant: true }, () => 1)).toBe(1);
      },
      { reentrant: true },
    );
  });
});
