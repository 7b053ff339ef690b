import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import type { Core } from '../../src/context/core.ts';

/**
 * Tokens are then those of the counter alone, and not of the clock. So a token that was not
 * reserved is given twice.
 */
const tokenFloor = 2n ** 52n;

interface Process {
  readonly name: string;
  readonly locks: Locks;
}

interface Trial {
  readonly one: Process;
  readonly two: Process;
  report(problem: string): void;
}

/** What claims that pass keys on break of their promises, in words. */
export async function findBroken(core: Core): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [bounds, part] of parts) {
    const store = createMemoryStore();
    const process = (name: string): Process => {
      const provider = createMemoryProvider({ store });
      const options = { label: name, localHandOff: bounds, tokenFloor, ttl: 1_000, closeProvider: true };
      return { name, locks: core.createLocks(provider, options) };
    };
    const [one, two] = [process('one'), process('two')];
    try {
      await part({ one, two, report: (problem) => problems.push(problem) });
    } catch (error) {
      problems.push(`it failed: ${String(error)}`);
    }
    await Promise.all([one.locks.close(), two.locks.close()]);
  }
  return problems;
}

type Part = (trial: Trial) => Promise<void>;

const parts: readonly (readonly [{ readonly count: number; readonly ms: number }, Part])[] = [
  [{ count: 4, ms: 1_000 }, takesTurns],
  [{ count: 1_000, ms: 30 }, endsInTime],
  [{ count: 4, ms: 1_000 }, endsItsLeases],
  [{ count: 4, ms: 1_000 }, promisesNoMoreThanTheStore],
];

/** Two processes with many claims each. */
async function takesTurns({ one, two, report }: Trial): Promise<void> {
  const history = createHistory(() => performance.now());
  const order: string[] = [];
  const run = async ({ name, locks }: Process): Promise<void> => {
    await using lease = await locks.acquire('key');
    history.granted(name, lease);
    order.push(name);
    await turn();
    history.released(lease);
  };
  const first = await one.locks.acquire('key');
  const runs = [one, two].flatMap((process) => Array.from({ length: 30 }, () => run(process)));
  await sleep(5);
  await first.release();
  await Promise.all(runs);
  for (const problem of checkHistory(history.events, { ended: true })) report(problem);
  // A hold, four hand-offs, and what follows when the other process has no claim any more.
  const bothWait = order.slice(0, Math.min(order.lastIndexOf('one'), order.lastIndexOf('two')));
  const longest = Math.max(
    ...bothWait
      .join(' ')
      .split(/two ?/)
      .map((part) => part.split(' ').filter(Boolean).length),
  );
  if (longest > 5) report(`one process had its turn ${longest} times while another one waited`);
}

/** A process whose claims follow each other closely, and one with a single claim. */
async function endsInTime({ one, two, report }: Trial): Promise<void> {
  let before = 0;
  const run = async (): Promise<void> => {
    await using _ = await one.locks.acquire('key');
    before += 1;
    await sleep(2);
  };
  const runs = Array.from({ length: 100 }, run);
  await sleep(5);
  await using lease = await two.locks.acquire('key');
  if (before > 60) report(`a claim waited while another process had its turn ${before} times`);
  await lease.release();
  await Promise.all(runs);
}

/** The second of three leases, each of which was handed the key. */
async function handed({ locks }: Process): Promise<readonly [Lease, Lease, Promise<Lease>]> {
  const first = await locks.acquire('key', { renew: false });
  const waits = [locks.acquire('key', { renew: false }), locks.acquire('key', { renew: false })] as const;
  await sleep(5);
  await first.release();
  return [first, await waits[0], waits[1]];
}

/** What was released does not come back, and does not end the lease of another claim. */
async function endsItsLeases({ one, two, report }: Trial): Promise<void> {
  const [first, second, waits] = await handed(one);
  const stale = { key: 'key', owner: first.owner, mode: first.mode };
  if (await one.locks.forceRelease(stale)) report('a claim that had handed its hold on could release it');
  await second.renew().catch((error: unknown) => report(`the next lease was lost: ${String(error)}`));
  if ((await two.locks.tryAcquire('key')) !== null) report('the key was free while a lease was held');
  await second.release();
  await (await waits).release();
  const { holders, waiters } = await two.locks.inspect('key');
  if (holders.length + waiters > 0) report('a hold or a place was left behind');
}

async function promisesNoMoreThanTheStore({ one, two, report }: Trial): Promise<void> {
  const [, second, waits] = await handed(one);
  await sleep(100);
  await second.release();
  await using third = await waits;
  const { remaining } = third;
  const [holder] = (await two.locks.inspect('key')).holders;
  if (remaining > (holder?.remaining ?? 0)) report('a lease lasts for longer than the store keeps it');
}
