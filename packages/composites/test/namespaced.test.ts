import { expect, onTestFinished, test } from 'vitest';
import { LockError, createMemoryProvider, createMemoryStore, isLockError } from '../../core/src/index.ts';
import { combine, namespaced } from '../src/index.ts';
import { collect } from '../../test-servers/src/support/collect.ts';
import type { Claim, LockProvider } from '../../core/src/index.ts';

function claimOf(key: string, owner: string, more: Partial<Claim> = {}): Claim {
  return { key, owner, ttl: 10_000, mode: 'exclusive', ...more };
}

const all = async (keys?: AsyncIterable<string>): Promise<string[]> => (await collect(keys ?? [])).toSorted();

test('keys of two prefixes never meet', async () => {
  const store = createMemoryStore();
  const of = (prefix: string) => namespaced(createMemoryProvider({ store }), prefix);
  const names: [string, string][] = [
    ['a', 'bc'],
    ['ab', 'c'],
    ['a', ':bc'],
    ['a:', 'bc'],
    ['1:a', 'bc'],
    ['a', '1:a:bc'],
    ['é', 'bc'],
  ];
  for (const [prefix, key] of names) {
    expect(await of(prefix).tryAcquire(claimOf(key, `me/${prefix}/${key}`))).toMatchObject({ granted: true });
  }
  expect(await all(createMemoryProvider({ store }).list?.(''))).toHaveLength(names.length);
  expect(await all(of('a').list?.(''))).toEqual(['1:a:bc', ':bc', 'bc']);
  expect(await all(of('a').list?.('b'))).toEqual(['bc']);
});

test('states of members have the key without the prefix, too', async () => {
  const provider = namespaced(combine([createMemoryProvider(), createMemoryProvider()], { need: 'all' }), 'orders');
  onTestFinished(() => provider.close());
  await provider.tryAcquire(claimOf('7', 'me/1'));
  const { key, members = [] } = await provider.inspect('7');
  expect([key, ...members.map((member) => member.key)]).toEqual(['7', '7', '7']);
});

test('a name over 512 bytes is hashed: it excludes, and is not listed', async () => {
  const store = createMemoryStore();
  const provider = namespaced(createMemoryProvider({ store }), 'orders');
  const longest = 'ü'.repeat(256);
  const fits = 'x'.repeat(512 - '6:orders:'.length);
  expect(await provider.tryAcquire(claimOf(longest, 'me/1'))).toMatchObject({ granted: true });
  expect(await provider.tryAcquire(claimOf(longest, 'me/2'))).toMatchObject({ granted: false });
  expect(await provider.tryAcquire(claimOf(`${longest.slice(1)}xy`, 'me/3'))).toMatchObject({ granted: true });
  expect(await provider.tryAcquire(claimOf(fits, 'me/4'))).toMatchObject({ granted: true });
  expect(await provider.inspect(longest)).toMatchObject({ key: longest, holders: [{ owner: 'me/1' }] });
  expect(await all(provider.list?.(''))).toEqual([fits]);
  // What it is hashed to is another key.
  const hashed = [...store.keys('')].find((name) => name.startsWith('6:orders#'));
  expect(await provider.tryAcquire(claimOf(hashed?.slice('6:orders#'.length) ?? '', 'me/5'))).toMatchObject({
    granted: true,
  });
});

test.each(['7', 'say "hi"', 'ü'.repeat(256)])(
  'an error about %s names the key, and what it is in the store',
  async (key) => {
    const provider = namespaced(createMemoryProvider(), 'orders');
    await provider.tryAcquire(claimOf(key, 'me/1', { mode: 'shared' }));
    const error = await provider.tryAcquire(claimOf(key, 'me/1')).catch(String);
    expect(error).toContain(`LockError: ${JSON.stringify(key)} is "6:orders`);
    expect(error).toContain('is held shared');
    await expect(provider.tryAcquire(claimOf(key, 'me/1'))).rejects.toMatchObject({ code: 'LOCK_INVALID', key });
  },
);

test('errors keep their code, their cause and what they left; foreign errors are as they were', async () => {
  const foreign = new Error('connection reset');
  const refuse = (error: unknown) => async (): Promise<never> => {
    throw error;
  };
  const memory = createMemoryProvider();
  const unavailable = new LockError('LOCK_UNAVAILABLE', 'no connection for 6:a:7', {
    key: '1:a:7',
    cause: foreign,
    sent: false,
  });
  const failing = (error: unknown): LockProvider => ({
    name: 'failing',
    traits: memory.traits,
    tryAcquire: refuse(error),
    renew: refuse(error),
    release: refuse(error),
    inspect: refuse(error),
    close: async () => {},
    outage: () => foreign,
  });
  const provider = namespaced(failing(unavailable), 'a');
  const error: unknown = await provider.release(claimOf('7', 'me/1')).catch((reason: unknown) => reason);
  expect(isLockError(error, 'LOCK_UNAVAILABLE') && [error.key, error.sent, error.cause]).toEqual(['7', false, foreign]);
  expect(provider.outage?.()).toBe(foreign);
  await expect(namespaced(failing(foreign), 'a').inspect('7')).rejects.toBe(foreign);
});

test('it has the traits of its provider, and no list where that has none', () => {
  const memory = createMemoryProvider();
  const { list: _, ...rest } = {
    name: memory.name,
    traits: memory.traits,
    tryAcquire: memory.tryAcquire.bind(memory),
    renew: memory.renew.bind(memory),
    release: memory.release.bind(memory),
    inspect: memory.inspect.bind(memory),
    close: memory.close.bind(memory),
    list: memory.list?.bind(memory),
  };
  expect(namespaced(memory, 'a').traits).toEqual(memory.traits);
  expect(namespaced(memory, 'a').list).toBeTypeOf('function');
  expect(namespaced(rest, 'a').list).toBeUndefined();
});

test.each(['', 'x'.repeat(201), 'ü'.repeat(101), 'a\0b', '\ud800', 7])('the prefix %j is refused', (prefix) => {
  expect(() => namespaced(createMemoryProvider(), prefix as string)).toThrow(/its prefix must be a string of 1 to 200/);
});

test('what is no provider is refused', () => {
  expect(() => namespaced({} as LockProvider, 'a')).toThrow(/its provider has no tryAcquire\(\)/);
});
