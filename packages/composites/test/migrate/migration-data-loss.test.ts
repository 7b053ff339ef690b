import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { subscribe } from '../../../core/src/index.ts';
import type { LockProvider, Locks, MigrationMessage } from '../../../core/src/index.ts';
import type { End, Phase } from '../../src/index.ts';
import { moduleWith } from '../flaws/flawed-module.ts';
import * as whole from '../flaws/migration-library.ts';
import { connectTo } from '../support/changing-store.ts';

type Library = typeof whole;

/** Floors do not rise with the clock of the store. */
const constant = await moduleWith<Library>(new URL('../flaws/migration-library.ts', import.meta.url), 'token-floor', [
  { file: 'floor-line.ts', find: 'const perMs = 500n;', replace: 'const perMs = 0n;' },
]);

/** Two stores that may lose their data, and processes that use them. */
function fleet({ createMemoryStore, createMemoryProvider, createLocks, migrate }: Library) {
  const stores = { from: createMemoryStore(), to: createMemoryStore() };
  const connect = (end: End): LockProvider => {
    const now = (): LockProvider => createMemoryProvider({ store: stores[end] });
    return { ...connectTo(now), list: (prefix) => now().list?.(prefix) as AsyncIterable<string> };
  };
  const open = (phase: Phase | (() => Phase)): Locks => {
    const provider = migrate({
      name: 'data-loss',
      from: connect('from'),
      to: connect('to'),
      phase,
      presenceTtl: 1_000,
    });
    const locks = createLocks(provider, { closeProvider: true, ttl: 2_000 });
    onTestFinished(() => locks.close());
    return locks;
  };
  return { connect, open, lose: (end: End) => void (stores[end] = createMemoryStore()) };
}

/** Takes tokens of one key, and gives those that were not above all before. */
function tokensOf(): { take(locks: Locks, count?: number): Promise<void>; readonly back: readonly string[] } {
  const back: string[] = [];
  let highest = 0n;
  return {
    back,
    async take(locks, count = 6) {
      for (let left = count; left > 0; left -= 1) {
        const lease = await locks.acquire('job', { wait: 8_000 });
        if (lease.token <= highest) back.push(`${lease.token} after ${highest}`);
        else highest = lease.token;
        await lease.release();
        await sleep(30);
      }
    },
  };
}

function listen(): MigrationMessage[] {
  const heard: MigrationMessage[] = [];
  const subscription = subscribe('locks:migration', (message) => {
    // Processes of other tests may still end.
    if (message.migration === 'data-loss') heard.push(message);
  });
  onTestFinished(() => subscription());
  return heard;
}

async function changed(heard: readonly MigrationMessage[], effective: Phase): Promise<void> {
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ event: 'changed', effective }), 5_000);
}

type Way = (made: ReturnType<typeof fleet>, take: (locks: Locks) => Promise<void>, library: Library) => Promise<void>;

const ways: Readonly<Record<string, Way>> = {
  async 'in from'({ open, lose }, take) {
    const locks = open('from');
    await take(locks);
    lose('from');
    await take(locks);
  },
  async 'in to'({ open, lose }, take) {
    const locks = open('to');
    await take(locks);
    lose('to');
    await take(locks);
  },
  async 'in both on the way back'({ open, lose }, take) {
    const heard = listen();
    let phase: Phase = 'to';
    const locks = open(() => phase);
    await take(locks);
    phase = 'both';
    await locks.tryAcquire('another');
    await changed(heard, 'both');
    await take(locks);
    lose('to');
    lose('from');
    await take(locks);
  },
  async 'in from after to, and back in to'({ open, lose }, take) {
    const heard = listen();
    let phase: Phase = 'to';
    const locks = open(() => phase);
    await take(locks);
    for (const next of ['both', 'from', 'both', 'to'] as const) {
      phase = next;
      await locks.tryAcquire('another', { ttl: 50 });
      await changed(heard, next);
      await take(locks);
      lose('from');
      lose('to');
      await take(locks);
      await vi.waitFor(() => expect(heard.findLast(({ event }) => event === 'changed')?.effective).toBe(next), 5_000);
    }
  },
  async 'in both, when no process is left that knew the floor'({ open, lose }, take) {
    const locks = open('to');
    await take(locks);
    await locks.close();
    lose('to');
    await take(open('both'));
  },
  async 'without a migration, with its floor'({ open, lose, connect }, take, { createLocks }) {
    const locks = open('to');
    await take(locks);
    await locks.close();
    const tokenFloor = await connect('to').register?.('token-floor');
    const plain = createLocks(connect('to'), { tokenFloor });
    onTestFinished(() => plain.close());
    await take(plain);
    lose('to');
    await take(plain);
  },
};

test('a plain process follows a floor that a migration raises later', { timeout: 30_000 }, async () => {
  const { connect } = fleet(whole);
  const store = connect('to');
  const time = (await store.time?.()) ?? 0;
  const given = whole.createLocks(store, { tokenFloor: { token: BigInt(time) * 1_000n + 1_000_000n, at: time } });
  onTestFinished(() => given.close());
  const first = await given.withLock('job', ({ token }) => token);
  const text = await store.register?.('token-floor');
  const raised = BigInt(time) * 1_000n + 9_000_000_000n;
  await store.register?.('token-floor', { from: text, to: `${raised}@${time}` });
  await vi.waitFor(
    async () => expect(await given.withLock('job', ({ token }) => token)).toBeGreaterThan(raised),
    9_000,
  );
  expect(raised).toBeGreaterThan(first);
});

test.each(Object.entries(ways))(
  'tokens increase though a store loses its data %s',
  { timeout: 60_000 },
  async (_, way) => {
    expect(await tokensBack(way, whole)).toEqual([]);
  },
);

test.each(Object.entries(ways))('a constant floor gives tokens again %s', { timeout: 60_000 }, async (_, way) => {
  expect(await tokensBack(way, constant)).not.toEqual([]);
});

async function tokensBack(way: Way, library: Library): Promise<readonly string[]> {
  const { take, back } = tokensOf();
  await way(fleet(library), take, library);
  return back;
}
