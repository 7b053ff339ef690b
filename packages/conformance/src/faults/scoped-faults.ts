import assert from 'node:assert/strict';
import type { Faults } from './faults.ts';
import { inBackground } from '../checks/time.ts';

/** The hooks for a check: calling one that was not given, and so not declared as a need, fails. */
export type GivenFaults = { readonly [Name in keyof Faults]-?: NonNullable<Faults[Name]> };

/** The hooks of one check, which record what must be undone. */
export interface ScopedFaults {
  readonly hooks: GivenFaults;
  /**
   * Waits for the hooks in progress and undoes what the check did not. Later effects are undone
   * immediately.
   */
  end(): Promise<void>;
}

type Undo = () => Promise<void>;

export function scopeFaults(faults: Faults): ScopedFaults {
  const underway = new Set<Promise<unknown>>();
  const lasting = new Set<Undo>();
  let ended = false;

  async function track<T>(work: Promise<T>): Promise<T> {
    underway.add(inBackground(work));
    try {
      return await work;
    } finally {
      underway.delete(work);
    }
  }

  async function begin(started: Promise<Undo>): Promise<Undo> {
    const end = await track(started);
    let ending: Promise<void> | undefined;
    const undo: Undo = () => {
      lasting.delete(undo);
      return (ending ??= track(end()));
    };
    // A check that exceeded its limit continues in the background.
    if (ended) await undo();
    else lasting.add(undo);
    return undo;
  }

  return {
    hooks: {
      sever: async (provider) => await track(given(faults.sever, 'sever')(provider)),
      silence: async (provider, direction) => await begin(given(faults.silence, 'silence')(provider, direction)),
      pause: async () => await begin(given(faults.pause, 'pause')()),
      restart: async () => await track(given(faults.restart, 'restart')()),
      restartEmpty: async () => await track(given(faults.restartEmpty, 'restartEmpty')()),
      dropReply: async (provider) => await track(given(faults.dropReply, 'dropReply')(provider)),
      delay: async (provider, delay) => await begin(given(faults.delay, 'delay')(provider, delay)),
      duplicate: async (provider) => await begin(given(faults.duplicate, 'duplicate')(provider)),
    },
    async end() {
      ended = true;
      await Promise.allSettled(underway);
      const outcomes = await Promise.allSettled([...lasting].map((undo) => undo()));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

function given<Hook>(hook: Hook | undefined, name: string): Hook {
  assert.ok(hook !== undefined, `a check that uses the hook "${name}" must declare it as a need`);
  return hook;
}
