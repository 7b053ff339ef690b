import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Proxy } from '@locks/test-servers';
import type { OpenedRun } from '../opened-run.ts';
import type { Target } from '../worker/messages.ts';
import { type Workers, createWorkers } from '../workers.ts';
import { type Leg, type Stores, legs } from './stores.ts';

/** The processes that take part. */
export interface Fleet {
  readonly workers: Workers;
  /** All slots; the last one is that of the process that keeps one lease all the time. */
  readonly slots: readonly number[];
  /** Processes that start from now on take part in this leg. */
  begin(leg: Leg): void;
  /** Writes the phase of the processes in `slots`. */
  tell(slots: readonly number[], phase: 'from' | 'both' | 'to'): void;
  /** What a process of the present leg has, whose ways to the servers have no faults. */
  config(): Target;
}

interface FleetOptions {
  /** Of the application. */
  readonly folder: string;
  readonly stores: Stores;
  /** Of each slot that has faults: what is between its process and each of the servers. */
  readonly proxies: readonly (readonly Proxy[])[];
  readonly flows: number;
  readonly seed: number;
}

export function createFleet(run: OpenedRun, { folder, stores, proxies, flows, seed }: FleetOptions): Fleet {
  const slots = [...proxies.keys(), proxies.length];
  let [leg] = legs as readonly [Leg, ...Leg[]];
  const fileOf = (slot: number): string => join(folder, `${leg.name}-${slot}`);
  const target = (slot: number): Target =>
    stores.target(leg, proxies[slot] ?? stores.servers, {
      label: `slot-${slot}`,
      phase: fileOf(slot),
    });
  const workers = createWorkers({
    application: folder,
    logs: run.logs,
    register: run.register,
    slots: slots.length,
    flows: (slot) => (slot < proxies.length ? flows : 0),
    seed,
    target,
    append: run.append,
  });
  return {
    workers,
    slots,
    begin(next) {
      leg = next;
    },
    tell(told, phase) {
      for (const slot of told) {
        const file = fileOf(slot);
        // A process never reads half of it.
        writeFileSync(`${file}.new`, phase);
        renameSync(`${file}.new`, file);
      }
    },
    config: () => target(proxies.length),
  };
}
