import { setTimeout as sleep } from 'node:timers/promises';
import { backends } from '../backends/index.ts';
import type { RunningBackend } from '../backends/backend.ts';
import { type Verdict, check } from '../check/check.ts';
import type { BackendName } from '../drills-command-line.ts';
import { now } from '../clock.ts';
import { follow } from '../faults/follow.ts';
import type { PlannedFault } from '../faults/schedule.ts';
import { inspect } from '../inspect.ts';
import { readRunLog } from '../log/reader.ts';
import { openRun } from '../opened-run.ts';
import { createRandom } from '../random.ts';
import type { RunOptions } from '../run.ts';
import type { Target } from '../worker/messages.ts';
import { createWorkers } from '../workers.ts';

/** A way from store to store. */
export interface Way {
  readonly stores: readonly BackendName[];
  /** The stores that each deploy has, by their numbers. */
  readonly deploys: readonly (readonly number[])[];
  /** Where a deploy has both, they come back empty, one after the other. */
  readonly emptied?: boolean;
}

/** To the last store by three deploys for each next one, and back to the first. */
export function thereAndBack(...stores: readonly BackendName[]): Way {
  const there = stores.flatMap((_, index) => (index === 0 ? [[0]] : [[index - 1, index], [index]]));
  return { stores, deploys: [...there, ...there.slice(0, -1).toReversed()] };
}

/** In ms: how long a process may take to open or to end, on a machine under load. */
const patience = 60_000;
/** In ms: with twice the ttl, holds of before are over when the next store comes back empty. */
const emptiedFor = 4_000;

/**
 * Processes with locks are replaced, two at a time, by those of the next deploy. One of each deploy
 * is killed instead of ended.
 */
export async function deployAlong(folder: string, way: Way, options: RunOptions): Promise<Verdict> {
  const { length, seed, workers: slots, flows } = options;
  const { stores, deploys, emptied = false } = way;
  const run = await openRun(folder, {
    adapters: ['redis', 'sql', 'zookeeper'],
    clients: ['ioredis', 'knex', 'pg'],
  });
  const { append, logs, register } = run;
  const running: RunningBackend[] = [];
  let stop = (): void => {};
  try {
    for (const store of stores) running.push(await backends[store].start(folder));
    const servers = running.flatMap((store) => store.servers);
    // With many keys some are not locked for a while.
    const plain = running.map((store): Target => ({ ...store.target(store.servers), keys: 'many' }));
    const prepared = plain.map((target, index) => ({
      ...target,
      options: { ...target.options, ...running[index]?.prepare },
    }));
    for (const target of prepared) await inspect(folder, target, 0);
    let present: Target | undefined;
    const workers = createWorkers({
      application: folder,
      logs,
      register,
      slots,
      flows: () => flows,
      seed,
      target: () => present ?? targetOf([]),
      append,
    });
    stop = () => workers.stop();
    const victims = { workers, proxies: [], backend: { servers } };
    const random = createRandom(seed);
    const suffer = (kind: PlannedFault['kind'], target: number): Promise<void> =>
      follow({ kind, at: 0, duration: 0, target }, victims, random, append);
    const opened = async (): Promise<void> => {
      if (!(await workers.obeyed(patience))) throw new Error('the processes could not open their locks');
    };
    append({ type: 'phase', at: now(), phase: 'faults' });
    for (const [number, members] of deploys.entries()) {
      present = targetOf(members.flatMap((store) => plain[store] ?? []));
      const killed = random.pick([...Array(slots).keys()]);
      const next = async (slot: number): Promise<void> => {
        if (number === 0) workers.start(slot);
        else if (slot === killed) await suffer('kill', slot);
        else await workers.succeed(slot, patience);
      };
      for (let slot = 0; slot < slots; slot += 2) {
        await Promise.all([slot, slot + 1].filter((each) => each < slots).map(next));
        await opened();
      }
      await sleep(length / deploys.length);
      if (!emptied || members.length === 1) continue;
      for (const store of members.toReversed()) {
        await suffer('server-empty', store);
        await sleep(emptiedFor);
      }
    }
    for (const phase of ['recovery', 'calm'] as const) {
      append({ type: 'phase', at: now(), phase });
      if (phase === 'calm') workers.order('calm');
      await opened();
    }
    append({ type: 'phase', at: now(), phase: 'end' });
    await workers.leave(patience);
    const left = await Promise.all(prepared.map((target) => inspect(folder, target, 20_000)));
    for (const message of left.flat()) append({ type: 'wrong', at: now(), message });
    await run.keepLogs(servers);
  } finally {
    stop();
    await Promise.all(running.map((store) => store.stop()));
    await run.close();
  }
  // In both stores each token is the higher one of two: that of two sharers may be the same.
  return check(readRunLog(logs), true);
}

function targetOf(members: readonly Target[]): Target {
  const [only = { ttl: 0 }, ...others] = members;
  if (others.length === 0) return only;
  const options = { members: members.map(({ url, options: own }) => ({ url, options: own })), need: 'all' };
  return {
    provider: 'combine',
    keys: 'many',
    ttl: Math.max(...members.map(({ ttl }) => ttl)),
    options: { ...options, memberTimeout: 2_000, timeout: 6_000 },
  };
}
