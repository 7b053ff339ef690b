import { createLocks, isLockError } from '@locks/core';
import { checkHistory, createHistory, createRandom } from '@locks/core/testing';
import type { History } from '@locks/core/testing';
import type { Lease, LockState, Locks } from '@locks/core';
import { eventually } from '@locks/test-servers';
import { expect } from 'vitest';
import { ttl } from './setting.ts';
import type { Setting } from './setting.ts';

const calls = 60;
const keys = 4;
/** How long calls begin, and faults, in ms. */
const span = 2_000;
/** The longest fault: what it holds back is delivered long after its claim was given up. */
const longestFault = 4_500;
/**
 * In ms, after the last fault each call settles, and then a fresh claim is granted. What
 * is left by a claim lasts for a ttl, a place for 3 s and a session for 6 s. Machines are busy.
 */
const bound = 25_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Rounds of calls, aborts, ends of waits and of one of two `Locks`, while requests and replies are
 * held back, and delivered. After each round nothing is pending or left, and each key can be had.
 */
export async function storm(setting: Setting, first: number, rounds: number): Promise<void> {
  const failures: string[] = [];
  for (let seed = first; seed < first + rounds; seed += 1)
    await round(setting, seed).catch((error: unknown) => failures.push(`LOCKS_TEST_SEED=${seed}: ${String(error)}`));
  expect(failures).toEqual([]);
}

async function round({ provider, direct, faults }: Setting, seed: number): Promise<void> {
  const random = createRandom(seed);
  const history = createHistory(() => performance.now());
  const options = { ttl, closeTimeout: 500 };
  await using closes = createLocks(provider, options);
  await using stays = createLocks(provider, options);
  const unexpected: unknown[] = [];
  const pending = new Set<string>();
  const settled = Array.from({ length: calls }, async (_, index) => {
    const locks = [closes, stays, stays, direct][Math.floor(random() * 4)] ?? direct;
    const key = `${seed}/${Math.floor(random() * keys)}`;
    const call = drawCall(random, locks, key, provider.traits.shared, history);
    await pause(random() * span);
    const what = `${call.what} (${index})`;
    pending.add(what);
    await call.run().catch((error: unknown) => unexpected.push(error));
    pending.delete(what);
  });
  const closesAt = span * (0.25 + random() / 2);
  const disturbed = Array.from({ length: 4 }, async (_, index) => {
    const fault = faults[Math.floor(random() * faults.length)];
    const [begin, lasts] = [random() * span, 200 + random() * (longestFault - 200)];
    // One meets what is given up by the end.
    await pause(index === 0 ? closesAt - 100 : begin);
    const end = fault?.();
    await pause(lasts);
    await end?.();
  });
  // Keys that are held for long have lines, which faults and ends find.
  const held = keysOf(seed).map(async (key) => {
    const lasts = span * (0.5 + random());
    const lease = await acquireAtLast(direct, key);
    history.granted(key, lease);
    await pause(lasts);
    await history.release(lease).catch(mustBeExpected);
  });
  const closed = pause(closesAt).then(() => closes.close());
  await Promise.all(disturbed);
  // Of two processes: the second keeps alive what it has left before the first.
  const fresh = keysOf(seed).flatMap((key) =>
    [direct, stays].map(async (locks, place) => {
      await pause(100 * place);
      const what = `a fresh acquire of ${key} (${place})`;
      pending.add(what);
      await (await acquireAtLast(locks, key)).release().catch(mustBeExpected);
      pending.delete(what);
    }),
  );
  const end = Promise.all([...settled, ...held, ...fresh, closed]);
  const late = pause(bound).then(() => 'late');
  if ((await Promise.race([end, late])) === 'late') {
    const states = await Promise.all(keysOf(seed).map((key) => direct.inspect(key)));
    throw new Error(`Pending: ${[...pending].join('; ')}. The keys: ${told(states)}`);
  }
  const broken = [...unexpected.map(String), ...checkHistory(history.events).map(({ message }) => message)];
  if (broken.length > 0) throw new Error(broken.join('\n'));
  await expectNoneLeft(direct, seed);
}

/** A call, as many make it, with each way to give it up. */
function drawCall(
  random: () => number,
  locks: Locks,
  key: string,
  shares: boolean,
  history: History,
): { readonly what: string; run(): Promise<void> } {
  const [kind, mode] = [random(), random() < 0.2 && shares ? 'shared' : 'exclusive'] as const;
  const [within, holds] = [Math.ceil(random() * 1_500), random() * 60];
  const use = async (lease: Lease | null): Promise<void> => {
    if (lease === null) return;
    history.granted(key, lease);
    await pause(holds);
    await history.release(lease);
  };
  const drawn = async (): Promise<void> => {
    if (kind < 0.1) await use(await locks.tryAcquire(key, { mode }));
    else if (kind < 0.3) await use(await locks.acquire(key, { mode, wait: within }));
    else if (kind < 0.55) await use(await locks.acquire(key, { mode, signal: AbortSignal.timeout(within) }));
    else await use(await locks.acquire(key, { mode }));
  };
  const names = ['tryAcquire', 'acquire with wait', 'acquire with signal', 'acquire'] as const;
  const name = names[[0.1, 0.3, 0.55, 1].findIndex((most) => kind < most)];
  return {
    what: `${name} of ${key}, ${mode}`,
    run: () => drawn().catch(mustBeExpected),
  };
}

function mustBeExpected(error: unknown): void {
  const expected = ['LOCK_TIMEOUT', 'LOCK_UNAVAILABLE', 'LOCK_CLOSED', 'LOCK_LOST'] as const;
  if (isLockError(error) && expected.some((code) => error.code === code)) return;
  if (!(error instanceof DOMException)) throw error;
}

/** A client may take longer than a ttl to find its store again. */
async function acquireAtLast(locks: Locks, key: string): Promise<Lease> {
  for (;;) {
    try {
      return await locks.acquire(key);
    } catch (error) {
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    }
  }
}

function keysOf(seed: number): readonly string[] {
  return Array.from({ length: keys }, (_, index) => `${seed}/${index}`);
}

async function expectNoneLeft(direct: Locks, seed: number): Promise<void> {
  let left: readonly LockState[] = [];
  await eventually(
    'no claim is left',
    async () => {
      const states = await Promise.all(keysOf(seed).map((key) => direct.inspect(key)));
      // Of a quorum also what a single member has.
      const all = states.flatMap((state) => (state.members ?? [state]) as readonly LockState[]);
      left = all.filter(({ holders, waiters }) => holders.length + waiters > 0);
      return left.length === 0;
    },
    bound,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)} Left: ${told(left)}`);
  });
}

function told(states: readonly LockState[]): string {
  return states.map(({ key, holders, waiters }) => `${key}: ${holders.length} hold, ${waiters} wait`).join('; ');
}
