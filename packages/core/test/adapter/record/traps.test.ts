import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createRecordProvider } from '../../../src/adapter/record/create-record-provider.ts';
import { createLocks } from '../../../src/index.ts';
import type { Claim } from '../../../src/contract.ts';
import { checkRequires } from '../../../src/options/requirements.ts';
import { claimOf, together } from './map-store.ts';

test('all calls of a tick on a key are one read and one replace', async () => {
  const store = together().store();
  const provider = createRecordProvider(store);
  const sharers = Array.from({ length: 50 }, (_, number) =>
    provider.tryAcquire(claimOf(`${number}`, { mode: 'shared' })),
  );
  expect((await Promise.all(sharers)).every(({ granted }) => granted)).toBe(true);
  expect(store.calls).toEqual({ reads: 1, replaces: 1 });
});

test('a state of its own is used without a read only where the call writes', async () => {
  const { store } = together();
  const [one, two] = [store(), store()];
  const [first, second] = [createRecordProvider(one), createRecordProvider(two)];
  await first.tryAcquire(claimOf('one'));
  expect(await first.release(claimOf('one'))).toBe(true);
  expect(one.calls).toEqual({ reads: 1, replaces: 2 });
  await first.tryAcquire(claimOf('one'));
  expect(await first.tryAcquire(claimOf('two'))).toMatchObject({ granted: false });
  await second.release(claimOf('one'));
  // What it wrote last says that the key is held.
  expect((await first.inspect('k')).holders).toEqual([]);
  expect(await first.tryAcquire(claimOf('two'))).toMatchObject({ granted: true });
});

test('an expired hold is removed from the store before it is told', async () => {
  const { store, records } = together();
  const [one, two] = [createRecordProvider(store()), createRecordProvider(store())];
  await one.tryAcquire(claimOf('one', { ttl: 50 }));
  const version = records.get('key:k')?.version;
  await sleep(60);
  expect((await two.inspect('k')).holders).toEqual([]);
  expect(records.get('key:k')?.version).not.toBe(version);
  expect(await one.renew(claimOf('one'))).toBe(false);
});

test('a key has 2 000 claims at most, and a further one is busy outside the queue', async () => {
  const provider = createRecordProvider(together().store(), { timeout: 60_000 });
  const sharers = Array.from({ length: 2_000 }, (_, number) => claimOf(`${number}`, { mode: 'shared', ttl: 600_000 }));
  await Promise.all(sharers.map((claim) => provider.tryAcquire(claim)));
  const further = claimOf('further', { mode: 'shared' });
  expect(await provider.tryAcquire(further, () => {})).toMatchObject({ granted: false, queueLimit: 2_000 });
  const late = createLocks(provider).acquire('k', { wait: 50 });
  await expect(late).rejects.toThrow(/held by test\. Its queue was full: it takes 2000 claims\. Raise option "wait"/);
  const { holders, waiters } = await provider.inspect('k');
  expect([holders.length, waiters]).toEqual([2_000, 0]);
  await provider.release(sharers[0] as Claim);
  expect(await provider.tryAcquire(further, () => {})).toMatchObject({ granted: true });
  await provider.close();
});

test('without a clock a hold ends for a process that has watched it for its ttl', async () => {
  const { store } = together();
  const without = () => createRecordProvider(store({ expiry: 'observed' }));
  const [holder, watcher] = [without(), without()];
  expect(watcher.traits.expiry).toBe('observed');
  await holder.tryAcquire(claimOf('one', { ttl: 200 }));
  await sleep(250);
  // It looks for the first time.
  expect(await watcher.tryAcquire(claimOf('two'))).toMatchObject({ granted: false });
  await sleep(250);
  expect(await watcher.tryAcquire(claimOf('two'))).toMatchObject({ granted: true });
});

test('`requires` refuses a store without a clock by the name of the trait', () => {
  const provider = createRecordProvider(together().store({ expiry: 'observed' }));
  expect(() => checkRequires(provider, { expiry: 'ttl' })).toThrow(/expiry: ttl \(it has observed\)/);
});

test.each([
  ['a later form', '[2,{}]', /format 2.*upgrade/],
  ['other text', 'hello', /not written by this library/],
  ['other JSON', '{"a":1}', /not written by this library/],
  ['an earlier form', '[0,1]', /not written by this library/],
  ['half a text', '[1,5]', /corrupted/],
  ['lists that are none', '[1,5,"a","b","c","d"]', /corrupted/],
  ['an owner without its label', '[1,5,[],[],[[3,"a","x",5,0,9e15]],[]]', /corrupted/],
  ['a token that is no number', '[1,-1,[],[],[],[]]', /corrupted/],
  ['a floor that is no number', '[1,5,["a"],["p"],[],[[0,"b","x",0,9,"z",9e15]]]', /corrupted/],
  ['entries that are no lists', '[1,5,[],[],[null],[7]]', /corrupted/],
])('a record of %s is refused', async (_what, record, message) => {
  const { store, records } = together();
  records.set('key:k', { version: 'v', record });
  const provider = createRecordProvider(store());
  const expected = { code: 'LOCK_MISCONFIGURED', message: expect.stringMatching(message) };
  await expect(provider.tryAcquire(claimOf('one'))).rejects.toMatchObject(expected);
  await expect(provider.inspect('k')).rejects.toMatchObject(expected);
  expect(records.get('key:k')?.record).toBe(record);
});

test.each([
  ['read', undefined, /read must resolve to an object/],
  ['read', { version: 7, record: '', now: 1 }, /"version" as text/],
  ['read', { version: 'v', now: 1 }, /"version" and "record", or neither/],
  ['read', {}, /"now" as a number/],
  ['replace', undefined, /replace must resolve to true or false/],
])('a wrong reply of %s is named (%#)', async (name, reply, message) => {
  const provider = createRecordProvider(together().store({ [name]: async () => reply }));
  const expected = { code: 'LOCK_MISCONFIGURED', message: expect.stringMatching(message) };
  await expect(provider.tryAcquire(claimOf('one'))).rejects.toMatchObject(expected);
});

test('a store that does not answer rejects the call in time, and the next call goes on', async () => {
  const { store } = together();
  let silent = true;
  const answering = store();
  const provider = createRecordProvider(
    { ...answering, read: async (key) => await (silent ? new Promise<never>(() => {}) : answering.read(key)) },
    { timeout: 100 },
  );
  const expected = { code: 'LOCK_UNAVAILABLE', sent: false };
  await expect(provider.tryAcquire(claimOf('one'))).rejects.toMatchObject(expected);
  silent = false;
  await vi.waitFor(async () => expect(await provider.tryAcquire(claimOf('one'))).toMatchObject({ granted: true }));
});

test('a text may be dropped when its entries have ended, and the clock has passed its token', async () => {
  const { store, records } = together();
  const provider = createRecordProvider(store());
  await provider.tryAcquire(claimOf('one', { ttl: 600_000 }));
  expect(records.get('key:k')?.keepFor).toBeGreaterThan(600_000 + 60_000);
  await provider.release(claimOf('one'));
  expect(records.get('key:k')?.keepFor).toBeLessThan(70_000);
  const ahead = BigInt(Date.now() + 3_600_000) * 1_000n;
  const grant = await provider.tryAcquire(claimOf('two', { floor: ahead }));
  expect(grant).toMatchObject({ granted: true, token: ahead + 1n });
  await provider.release(claimOf('two'));
  expect(records.get('key:k')?.keepFor).toBeGreaterThan(3_600_000);
});

test('what is never dropped has no such time: a strict text, and a register', async () => {
  const { store, records } = together();
  const provider = createRecordProvider(store({ fencing: 'strict' }));
  await provider.tryAcquire(claimOf('one'));
  await provider.register?.('k', { from: undefined, to: 'a' });
  expect([...records.values()].map(({ keepFor }) => keepFor)).toEqual([undefined, undefined]);
});

test('a store that makes its own versions costs no more calls, if it gives them back', async () => {
  const { records, store } = together();
  let revision = 0;
  const own = store();
  const provider = createRecordProvider({
    ...own,
    async replace(key, seen, next) {
      if (!(await own.replace(key, seen, next, false, [], 1_000))) return false;
      const version = `revision ${++revision}`;
      records.set(key, { ...next, version });
      return version;
    },
  });
  for (let number = 0; number < 5; number += 1) {
    await provider.tryAcquire(claimOf(`${number}`));
    expect(await provider.release(claimOf(`${number}`))).toBe(true);
  }
  expect(own.calls.replaces).toBe(10);
  // One of a key, and one of the text in which others may ask for gaps.
  expect(own.calls.reads).toBeLessThanOrEqual(2);
});

test('a replace whose outcome is unknown is not said to be unsent', async () => {
  const failing = together().store({ replace: () => Promise.reject(new Error('reset')) });
  const call = createRecordProvider(failing).tryAcquire(claimOf('one'));
  const error: unknown = await call.catch((rejected: unknown) => rejected);
  expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  expect(error).not.toHaveProperty('sent', false);
});

test('a list leaves out what is no record', async () => {
  const { store, records } = together();
  records.set('key:damaged', { version: 'v', record: '[1,5]' });
  const provider = createRecordProvider(
    store({
      async *list() {
        yield* records.keys();
      },
    }),
  );
  await provider.tryAcquire(claimOf('one'));
  const found: string[] = [];
  for await (const key of provider.list?.('') ?? []) found.push(key);
  expect(found).toEqual(['k']);
});
