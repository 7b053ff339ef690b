import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import type { Lease, Locks } from '../../../core/src/index.ts';
import type { Phase, migrate } from '../../src/index.ts';
import { createRandom } from '../../../core/src/testing/random.ts';
import { systemRuntime } from '../../../core/src/time/runtime.ts';
import type { Runtime } from '../../../core/src/time/runtime.ts';
import { breakable } from '../../../core/test/support/breakable.ts';
import type { Breakable } from '../../../core/test/support/breakable.ts';

const phases: readonly Phase[] = ['from', 'both', 'to'];
const presenceTtl = 1_000;

export interface DrillOptions {
  /** The code under test. */
  readonly migrate: typeof migrate;
  readonly seed: number;
  /** In ms. */
  readonly duration: number;
  readonly ttl: number;
  /** In ms. */
  readonly longestHold: number;
  readonly longestOutage: number;
  /** With more, some are not locked while a process is in both stores. @default 4 */
  readonly keys?: number;
}

/** Short leases, and outages that outlast them. */
export const usual = { ttl: 500, longestHold: 100, longestOutage: 800 };

export interface DrillReport {
  readonly problems: readonly string[];
  readonly leases: number;
  readonly processes: number;
}

interface Process {
  phase: Phase;
  readonly name: string;
  readonly from: Breakable;
  readonly to: Breakable;
  readonly locks: Locks;
  stopped: boolean;
}

/**
 * Processes hammer a few keys while they move to and fro between two memory stores, lose
 * connections, and end without a word. Ends at the first problem.
 */
export async function drill(options: DrillOptions): Promise<DrillReport> {
  const { duration, seed, keys = 4 } = options;
  const random = createRandom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  // Tokens of the second store are behind, for as long as its clock is.
  const stores = { from: createMemoryStore({ runtime: ahead(400) }), to: createMemoryStore() };
  const problems: string[] = [];
  const inside = new Map<string, { readonly name: string; readonly lease: Lease }>();
  const highest = new Map<string, bigint>();
  const loops: Promise<void>[] = [];
  let leases = 0;
  let count = 0;

  function start(): Process {
    count += 1;
    const from = breakable(createMemoryProvider({ store: stores.from }));
    const to = breakable(createMemoryProvider({ store: stores.to }));
    const name = `p${count}`;
    const provider = options.migrate({
      name: 'drill',
      from,
      to,
      phase: () => started.phase,
      presenceTtl,
      // With a pause in between no process meets one that withdraws too early.
      settle: 0,
      label: name,
      memberTimeout: 100,
      timeout: 400,
    });
    const { ttl } = options;
    const locks = createLocks(provider, { closeProvider: true, ttl, closeTimeout: 500 });
    const started: Process = { phase: phases[below(3)] as Phase, name, from, to, locks, stopped: false };
    for (let worker = 0; worker < 2; worker += 1) loops.push(work(started));
    return started;
  }

  async function work(process: Process): Promise<void> {
    while (!process.stopped) {
      const key = `key ${below(keys)}`;
      const lease = await process.locks.acquire(key, { wait: 300 }).catch(() => undefined);
      if (lease === undefined) {
        await sleep(5);
        continue;
      }
      if (lease.held) await hold(process, key, lease);
      await lease.release().catch(() => {});
    }
  }

  async function hold({ name }: Process, key: string, lease: Lease): Promise<void> {
    const other = inside.get(key);
    if (other?.lease.held === true) problems.push(`${name} and ${other.name} hold ${key}`);
    const before = highest.get(key) ?? 0n;
    if (lease.token <= before) problems.push(`${key}: token ${lease.token} after ${before}`);
    highest.set(key, lease.token);
    inside.set(key, { name, lease });
    leases += 1;
    const end = performance.now() + below(options.longestHold);
    while (lease.held && performance.now() < end) await sleep(5);
  }

  function disturb(fleet: Process[], process: Process, index: number): void {
    const dice = random();
    if (dice < 0.5) process.phase = phases[below(3)] as Phase;
    else if (dice < 0.7) for (const each of fleet) each.phase = process.phase;
    else if (dice < 0.85) {
      const store = random() < 0.5 ? process.from : process.to;
      store.down = true;
      setTimeout(() => (store.down = false), below(options.longestOutage)).unref();
    } else {
      process.stopped = true;
      // Without a word, mostly: what it has in the stores lapses.
      process.from.down = dice < 0.95;
      process.to.down = dice < 0.95;
      loops.push(process.locks.close());
      fleet[index] = start();
    }
  }

  const fleet = Array.from({ length: 4 }, start);
  const end = performance.now() + duration;
  while (performance.now() < end && problems.length === 0) {
    await sleep(20 + below(150));
    const index = below(fleet.length);
    disturb(fleet, fleet[index] as Process, index);
  }
  for (const process of fleet) process.stopped = true;
  await Promise.all(loops);
  await Promise.all(fleet.map(({ locks }) => locks.close()));
  return { problems, leases, processes: count };
}

function ahead(ms: number): Runtime {
  const { clock } = systemRuntime;
  return {
    ...systemRuntime,
    clock: { origin: clock.origin + ms, now: () => clock.now(), exact: () => clock.exact() },
  };
}
