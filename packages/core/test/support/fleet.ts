import { expect } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore, untilAborted } from '../../src/index.ts';
import type { ElectOptions, Election, Lease, Locks } from '../../src/index.ts';
import { VirtualRuntime } from './virtual-runtime.ts';

/** The ttl of its leases, in ms. */
export const ttl = 1_000;

/** Candidates in several processes. */
export interface Fleet {
  readonly runtime: VirtualRuntime;
  readonly all: readonly Locks[];
  /** The leases of all terms, in order. */
  readonly terms: Lease[];
  /** A candidate that leads until it is told to end. */
  stand(index: number, options?: ElectOptions): Election;
}

/** Processes called p0, p1, … on one store. */
export function fleet(processes = 3): Fleet {
  const runtime = new VirtualRuntime();
  const store = createMemoryStore({ runtime });
  const all = Array.from({ length: processes }, (_, index) =>
    createLocks(createMemoryProvider({ store }), { runtime, ttl, label: `p${index}` }),
  );
  const terms: Lease[] = [];
  return {
    runtime,
    all,
    terms,
    stand(index, options) {
      return all[index]!.elect('job', (lease) => lead(lease, terms), { cooldown: 100, ...options });
    },
  };
}

/** Leads until its signal aborts. */
async function lead(lease: Lease, terms: Lease[]): Promise<void> {
  expect(terms.filter(({ held }) => held)).toEqual([]);
  terms.push(lease);
  await untilAborted(lease.signal);
}
