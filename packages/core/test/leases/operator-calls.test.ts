import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../src/index.ts';
import type { LockProvider, Locks } from '../../src/index.ts';
import { createFreeSetting, createSetting } from '../support/setting.ts';
import { collect } from '../../../test-servers/src/support/collect.ts';

const all = async (keys: AsyncIterable<string>): Promise<string[]> => (await collect(keys)).toSorted();

/** Two processes on one store. */
function createPair(): [Locks, Locks] {
  const store = createMemoryStore();
  return [createLocks(createMemoryProvider({ store })), createLocks(createMemoryProvider({ store }))];
}

/** The setting's provider, with a `list`. */
function listing(list: NonNullable<LockProvider['list']>) {
  const { provider, runtime } = createSetting();
  return createLocks(Object.assign(provider, { list }), { runtime });
}

describe('list', () => {
  it('gives the keys with a prefix that are held, by default all', async () => {
    const [one, other] = createPair();
    for (const key of ['seat/1', 'seat/2', 'car/1']) await one.acquire(key);
    expect(await all(other.list('seat/'))).toEqual(['seat/1', 'seat/2']);
    expect(await all(other.list())).toEqual(['car/1', 'seat/1', 'seat/2']);
  });

  it('passes over what another program has put into the store under a name that no call takes', async () => {
    const locks = listing(async function* () {
      yield* ['seat', '', 'a\0', 'a'.repeat(513), '\ud800'];
    });
    expect(await all(locks.list())).toEqual(['seat']);
  });

  it('is refused where the provider has none', async () => {
    const { locks } = createSetting();
    await expect(all(locks.list('a'))).rejects.toMatchObject({
      code: 'LOCK_INVALID',
      message:
        'The scripted provider cannot list its keys: it has no method "list". Use inspect(key) for keys that you know.',
    });
  });

  it('refuses a prefix that is no string', async () => {
    const [locks] = createPair();
    await expect(all(locks.list(5 as never))).rejects.toMatchObject({
      code: 'LOCK_INVALID',
      message: 'list(prefix): the prefix must be a string, not 5.',
    });
  });

  it('rejects with LOCK_UNAVAILABLE, or with the error of the provider', async () => {
    const cause = new Error('connection lost');
    // oxlint-disable-next-line require-yield
    const broken = listing(async function* list() {
      throw cause;
    });
    await expect(all(broken.list('a'))).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: 'scripted could not list the keys with the prefix "a".',
      cause,
    });
  });

  it('ends when its Locks is closed', async () => {
    const [locks] = createPair();
    for (const key of ['a', 'b', 'c']) await locks.acquire(key);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const key of locks.list()) {
        seen.push(key);
        await locks.close();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
    expect(seen).toEqual(['a']);
    await expect(all(locks.list())).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  });
});

describe('forceRelease', () => {
  it('takes a holder that went through JSON, and one of several sharers', async () => {
    const [one, other] = createPair();
    const shared = { mode: 'shared', permits: 2 } as const;
    const [first, second] = [await one.acquire('slot', shared), await one.acquire('slot', shared)];
    const { key, owner, mode } = first;
    const text = JSON.stringify({ key, owner, mode });
    expect(await other.forceRelease(JSON.parse(text) as typeof first)).toBe(true);
    expect((await other.inspect('slot')).holders.map((holder) => holder.owner)).toEqual([second.owner]);
    await second.renew();
  });

  it('rejects when the answer is unknown', async () => {
    const { provider, locks } = createFreeSetting();
    const { key, owner, mode } = await locks.acquire('seat');
    const cause = new Error('connection lost');
    provider.inspecting = async () => ({ key, holders: [{ owner, mode }], waiters: 0 });
    provider.answers.release = (call) => call.reject(cause);
    await expect(locks.forceRelease({ key, owner, mode })).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      key: 'seat',
      message: `scripted did not confirm that "${owner}" was released from "seat". Check with inspect, then retry.`,
      cause,
    });
  });

  it('sends nothing for what inspect does not show: it may be a value of the application', async () => {
    const { provider, locks } = createFreeSetting();
    provider.inspecting = async (key) => ({ key, holders: [{ owner: 'a/1', mode: 'shared' }], waiters: 0 });
    for (const owner of ['a/1', 'image/png'])
      expect(await locks.forceRelease({ key: 'seat', owner, mode: 'exclusive' })).toBe(false);
    expect(provider.calls).toEqual([]);
  });

  it.each([
    ['nothing', undefined],
    ['a key', 'seat'],
    ['no owner', { key: 'seat', mode: 'shared' }],
    ['another mode', { key: 'seat', owner: 'a/1', mode: 'all' }],
    ['no key', { owner: 'a/1', mode: 'shared' }],
  ])('refuses %s', async (_what, holder) => {
    const { provider, locks } = createFreeSetting();
    await expect(locks.forceRelease(holder as never)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    expect(provider.calls).toEqual([]);
  });

  it('is refused by a closed Locks', async () => {
    const { locks } = createFreeSetting();
    await locks.close();
    const holder = { key: 'seat', owner: 'a/1', mode: 'exclusive' } as const;
    await expect(locks.forceRelease(holder)).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
  });
});
