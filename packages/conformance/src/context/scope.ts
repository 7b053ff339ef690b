import assert, { AssertionError } from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import type { LockProvider } from '@locks/core';
import { mustBeProvider, show } from '../checks/expect.ts';
import type { Faults } from '../faults/faults.ts';
import type { ProcessesOption } from '../processes/other-process.ts';
import { forkProcess } from '../processes/other-process.ts';
import type { OtherProcess } from '../processes/other-process.ts';
import { scopeFaults } from '../faults/scoped-faults.ts';
import type { GivenFaults } from '../faults/scoped-faults.ts';
import { within } from '../checks/time.ts';

/** Everything that one check has created, to be ended with it. */
export interface Scope {
  /** Aborted when the check has ended. */
  readonly signal: AbortSignal;
  /** Their unfinished effects are undone before anything else ends. */
  readonly faults: GivenFaults;
  readonly create: () => Promise<LockProvider>;
  readonly createOther: () => Promise<LockProvider>;
  readonly fork: (ahead?: number) => Promise<OtherProcess>;
  /** Calls `end` when the check has ended, before its providers are closed. */
  adopt(end: () => Promise<void>): void;
  /** Ends all of it. Rejects with the first failure, after it tried everything. */
  end(): Promise<void>;
}

export interface ScopeOptions {
  readonly create: () => LockProvider | Promise<LockProvider>;
  readonly createOther: (() => LockProvider | Promise<LockProvider>) | undefined;
  readonly processes: ProcessesOption | undefined;
  readonly faults: Faults;
  /** How long a process may take to start, in ms. */
  readonly startLimit: number;
  /** How long each thing may take to end, in ms. */
  readonly endLimit: number;
}

/** The scope of one check. */
export function createScope(options: ScopeOptions): Scope {
  const { create, createOther, processes, faults, startLimit, endLimit } = options;
  const controller = new AbortController();
  // Every waiting claim of the check listens.
  setMaxListeners(0, controller.signal);
  const providers: LockProvider[] = [];
  const adopted: (() => Promise<void>)[] = [];
  const scoped = scopeFaults(faults);

  async function own(made: LockProvider | Promise<LockProvider>, hook: string): Promise<LockProvider> {
    const provider = await made;
    mustBeProvider(provider, hook);
    // A check that exceeded its limit may still be creating.
    if (controller.signal.aborted) await provider.close();
    else providers.push(provider);
    return provider;
  }

  return {
    signal: controller.signal,
    faults: scoped.hooks,
    create: async () => await own(create(), 'create'),
    async createOther() {
      assert.ok(createOther !== undefined, 'a check that uses createOther must declare the need "createOther"');
      return await own(createOther(), 'createOther');
    },
    async fork(ahead) {
      assert.ok(processes !== undefined, 'a check that forks must declare the need "processes"');
      const other = await forkProcess(processes, startLimit, ahead);
      adopted.push(other.kill);
      return other;
    },
    adopt(end) {
      adopted.push(end);
    },
    async end() {
      controller.abort();
      const undone = await Promise.allSettled([within(endLimit, scoped.end(), 'the faults of the check to be undone')]);
      const ends = adopted.map((end) => within(endLimit, end(), 'what the check made to end'));
      const first = await Promise.allSettled(ends);
      const closes = providers.map((provider) =>
        within(endLimit, closed(provider), `close() of ${provider.name} to resolve`),
      );
      const second = await Promise.allSettled(closes);
      for (const outcome of [...undone, ...first, ...second]) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

/** Ends a provider, which the check may have closed already. */
async function closed(provider: LockProvider): Promise<void> {
  try {
    await provider.close();
  } catch (error) {
    const message = `expected close() of ${provider.name} to resolve at the end of the check, also where it was closed before; it rejected with ${show(error)}`;
    throw new AssertionError({ message });
  }
}
