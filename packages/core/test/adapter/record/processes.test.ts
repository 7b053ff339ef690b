import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createRecordProvider } from '../../../src/adapter/record/create-record-provider.ts';
import { withoutClaims } from '../../../src/adapter/record/record-text.ts';
import type { RecordOptions, RecordStore, StoredRecord } from '../../../src/adapter/record/record-store.ts';
import type { Claim, LockProvider } from '../../../src/contract.ts';
import { claimOf, together } from './map-store.ts';

/** No repeat of a claim comes within a test, and no look where `poll` is left out. */
const slow = { waiterTtl: 60_000, poll: 60_000 };

/** Processes with names, which hear only when a write wakes them. */
function named() {
  const { store, records } = together();
  const ended = new Set<string>();
  const heard = new Map<string, Set<() => void>>();
  const asked: string[] = [];
  const woken: (readonly string[])[] = [];
  const open = (process: string, more: Partial<RecordStore> = {}, options: RecordOptions = {}): LockProvider => {
    const base = store();
    const own = new Set<() => void>();
    heard.set(process, own);
    return createRecordProvider(
      {
        ...base,
        process,
        ended(name) {
          asked.push(`${process} of ${name}`);
          return ended.has(name);
        },
        async replace(key, seen, next, waited, wakes, within) {
          const replaced = await base.replace(key, seen, next, waited, wakes, within);
          if (replaced !== true) return replaced;
          if (wakes.length > 0) woken.push(wakes);
          for (const name of wakes) for (const changed of heard.get(name) ?? []) changed();
          return true;
        },
        async watch(_key, changed) {
          own.add(changed);
          return () => void own.delete(changed);
        },
        ...more,
      },
      { ...slow, ...options },
    );
  };
  return { open, records, ended, asked, woken };
}

/** Puts the claim into the queue. Resolves when its store has told it of its turn. */
async function enter(provider: LockProvider, claim: Claim): Promise<{ readonly turn: Promise<void> }> {
  let told = (): void => {};
  const turn = new Promise<void>((resolve) => (told = resolve));
  expect(await provider.tryAcquire(claim, () => told())).toMatchObject({ granted: false });
  return { turn };
}

const counterIn = (records: ReadonlyMap<string, StoredRecord>): unknown =>
  (JSON.parse(records.get('key:k')?.record ?? '[]') as readonly unknown[])[1];

test('a write names the processes of the claims that were given the key, and no others', async () => {
  const { open, woken } = named();
  const [one, two, three] = [open('one'), open('two'), open('three')];
  await one.tryAcquire(claimOf('a'));
  const { turn } = await enter(two, claimOf('b'));
  await enter(three, claimOf('c'));
  expect(woken).toEqual([]);
  await one.release(claimOf('a'));
  await turn;
  expect(woken).toEqual([['two']]);
  await enter(two, claimOf('d'));
  await two.release(claimOf('b'));
  await three.release(claimOf('c'));
  expect(woken).toEqual([['two'], ['three'], ['two']]);
});

test('a process is not named in its own writes', async () => {
  const { open, woken } = named();
  const one = open('one');
  await one.tryAcquire(claimOf('a'));
  const { turn } = await enter(one, claimOf('b'));
  await one.release(claimOf('a'));
  await turn;
  expect(woken).toEqual([]);
});

test('a release passes over claims of processes that have ended', async () => {
  const { open, ended, woken, asked } = named();
  const [one, two, three] = [open('one'), open('two'), open('three')];
  await one.tryAcquire(claimOf('a'));
  await enter(two, claimOf('b'));
  await enter(two, claimOf('c'));
  const { turn } = await enter(three, claimOf('d'));
  ended.add('two');
  await one.release(claimOf('a'));
  await turn;
  expect(woken).toEqual([['three']]);
  const state = await three.inspect('k');
  expect(state.holders.map(({ owner }) => owner)).toEqual(['test/d']);
  expect(state.waiters).toBe(0);
  expect(asked.filter((pair) => /(\w+) of \1/.test(pair))).toEqual([]);
});

test.each(['read', 'watch'] as const)(
  'behind a process that has ended a claim goes when the hold ends, by a %s',
  async (by) => {
    const { open, ended } = named();
    const more = by === 'read' ? { watch: undefined } : {};
    const [one, two, three] = ['one', 'two', 'three'].map((name) =>
      open(name, more as Partial<RecordStore>, { poll: 20 }),
    );
    await one?.tryAcquire(claimOf('a', { ttl: 400 }));
    await enter(two as LockProvider, claimOf('b'));
    const { turn } = await enter(three as LockProvider, claimOf('c'));
    await two?.close();
    await one?.close();
    ended.add('two');
    await turn;
    await vi.waitFor(async () => expect(await three?.tryAcquire(claimOf('c'))).toMatchObject({ granted: true }));
    await three?.close();
  },
);

test('a process that looks passes over one that has ended, and tells the next one', async () => {
  const { open, ended, woken } = named();
  const [one, two, three, four] = ['one', 'two', 'three', 'four'].map((name) => open(name));
  await one?.tryAcquire(claimOf('a', { ttl: 500 }));
  await enter(two as LockProvider, claimOf('b'));
  await enter(three as LockProvider, claimOf('c'));
  ended.add('two');
  await sleep(520);
  await four?.inspect('k');
  expect(woken).toEqual([['three']]);
});

test('a text without claims has the counter of the one before', async () => {
  const { store, records } = together();
  const provider = createRecordProvider(store());
  await provider.tryAcquire(claimOf('a'));
  const { version = '', record = '' } = records.get('key:k') ?? {};
  const counter = counterIn(records);
  records.set('key:k', { version: `${version} idle`, record: withoutClaims('k', record) });
  expect(counterIn(records)).toBe(counter);
  expect((await createRecordProvider(store()).inspect('k')).holders).toEqual([]);
});
