import type { Mode } from '../contract.ts';
import { isLockError } from '../errors/lock-error.ts';
import type { Lease } from '../lease.ts';

/**
 * What happened to a lease, at a time of the clock that the history was given. Plain data, which
 * can be written down and checked elsewhere.
 */
export type HistoryEvent = {
  /** When, by the clock of the history. */
  readonly at: number;
  /** The owner of the lease. */
  readonly owner: string;
} & (
  | {
      readonly type: 'granted';
      /** Who got it, as the test names its processes. */
      readonly process: string;
      /** The key that is locked. */
      readonly key: string;
      /** Whether others may hold the key as well. */
      readonly mode: Mode;
      /** Shared: at most so many holders at once. Absent: any number. */
      readonly permits?: number;
      /** Its fencing token. */
      readonly token: bigint;
    }
  /** It said that it is held. */
  | { readonly type: 'held' }
  /** It said that it is not held any more. */
  | { readonly type: 'over' }
  /** Its holder called `release`. */
  | { readonly type: 'released' }
  /** Its signal aborted with `LOCK_LOST`. */
  | { readonly type: 'lost' }
  /** Its signal aborted with `LOCK_CLOSED`. */
  | { readonly type: 'closed' }
  /** Its process died. */
  | { readonly type: 'crashed' }
);

/** Writes down what leases say, for `checkHistory`. */
export interface History {
  /** All that happened so far, in order. */
  readonly events: readonly HistoryEvent[];
  /**
   * `acquire` gave `lease` to `process`. All other leases are asked at this moment whether they are
   * held.
   */
  granted(process: string, lease: Lease, permits?: number): void;
  /** The holder is about to call `release`. */
  released(lease: Lease): void;
  /** `process` is gone, with all its leases. */
  crashed(process: string): void;
  /** Asks all leases whether they are held. */
  look(): void;
}

interface Entry {
  readonly process: string;
  readonly lease: Lease;
  /** It is not held any more, but its signal has not said so yet. */
  over: boolean;
}

/** Starts a history; `now` reads the time in ms, of one clock for all processes. */
export function createHistory(now: () => number): History {
  const events: HistoryEvent[] = [];
  const live = new Map<string, Entry>();

  function look(): void {
    for (const [owner, entry] of live) {
      const { held } = entry.lease;
      if (held === !entry.over) continue;
      events.push({ at: now(), type: held ? 'held' : 'over', owner });
      entry.over = !held;
    }
  }

  function end(owner: string, type: 'released' | 'crashed'): void {
    if (!live.delete(owner)) return;
    events.push({ at: now(), type, owner });
  }

  return {
    events,
    look,
    granted(process, lease, permits) {
      look();
      const { key, owner, mode, token } = lease;
      const kind = permits === undefined ? { mode } : { mode, permits };
      events.push({ at: now(), type: 'granted', owner, process, key, ...kind, token });
      live.set(owner, { process, lease, over: false });
      const { signal } = lease;
      const told = (): void => {
        events.push({ at: now(), type: isLockError(signal.reason, 'LOCK_CLOSED') ? 'closed' : 'lost', owner });
        live.delete(owner);
      };
      if (signal.aborted) told();
      else signal.addEventListener('abort', told);
    },
    released(lease) {
      look();
      end(lease.owner, 'released');
    },
    crashed(process) {
      for (const [owner, entry] of live) if (entry.process === process) end(owner, 'crashed');
    },
  };
}
