import { setTimeout as delay } from 'node:timers/promises';
import type { Lease, Locks } from '../../src/index.ts';

/** What clients saw that took locks all the time. */
export interface Seen {
  /** How often a client held a key while another one did, by the word of both. */
  readonly doubleHolds: number;
  /** How often a key was given with a token that was not above all before. */
  readonly tokensBack: number;
  readonly lost: number;
  /** The codes of all rejections. */
  readonly codes: ReadonlySet<unknown>;
}

/** Clients that take locks until they are told to stop. */
export interface Load {
  /** Holds of each key so far. */
  counts(): ReadonlyMap<string, number>;
  /** Resolves when each client has ended. Those that wait are served first. */
  stop(): Promise<Seen>;
}

/** Lets each of `parties` take each of `keys` again and again, and hold it for some ms. */
export function startLoad(parties: readonly Locks[], keys: readonly string[]): Load {
  const inside = new Map<string, Set<Lease>>();
  const highest = new Map<string, bigint>();
  const counts = new Map(keys.map((key) => [key, 0]));
  const codes = new Set<unknown>();
  let [doubleHolds, tokensBack, lost, stopped] = [0, 0, 0, false];

  async function enter(lease: Lease): Promise<void> {
    const { key } = lease;
    const others = inside.get(key) ?? new Set();
    inside.set(key, others);
    for (const other of others) if (other.held && lease.held) doubleHolds += 1;
    if (lease.token <= (highest.get(key) ?? 0n)) tokensBack += 1;
    else highest.set(key, lease.token);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    others.add(lease);
    try {
      await delay(5);
      if (!lease.held) lost += 1;
    } finally {
      others.delete(lease);
    }
  }

  async function client(locks: Locks, key: string): Promise<void> {
    while (!stopped) {
      // An outage, or a lease that was lost: the load goes on.
      await locks.withLock(key, enter).catch(async (error: unknown) => {
        codes.add((error as { readonly code?: unknown }).code);
        await delay(20);
      });
    }
  }

  const clients = parties.flatMap((locks) => keys.map((key) => client(locks, key)));
  return {
    counts: () => new Map(counts),
    async stop() {
      stopped = true;
      await Promise.all(clients);
      return { doubleHolds, tokensBack, lost, codes };
    },
  };
}

/** Whether each key was held again since `before`. */
export function served(load: Load, before: ReadonlyMap<string, number>): boolean {
  return [...load.counts()].every(([key, count]) => count > (before.get(key) ?? 0) + 1);
}
