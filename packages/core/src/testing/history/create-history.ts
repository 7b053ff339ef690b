import { isLockError } from '../../errors/lock-error.ts';
import type { Lease } from '../../lease.ts';
import type { HistoryEvent } from './events.ts';

/** Records what leases report, as the events that `checkHistory` reads. */
export interface History {
  /** All events so far, in order. The name of a call is the owner of its lease. */
  readonly events: readonly HistoryEvent[];
  /** A call granted `lease` to `process`. All other leases are looked at in this moment. */
  granted(process: string, lease: Lease, permits?: number): void;
  /**
   * Releases `lease`, and records the answer. A rejection is passed on, and recorded as the end of
   * the lease.
   */
  release(lease: Lease): Promise<boolean>;
  /** `process` has crashed. Its leases last as long as they last reported. */
  crashed(process: string): void;
  /** Looks at all leases. Records only news. */
  look(): void;
}

interface Entry {
  readonly process: string;
  readonly lease: Lease;
  /** Until when it reported to last, by the clock of the history. */
  until: number;
  /** It reported that it is no longer held. */
  over: boolean;
}

/** Starts a history; `now` reads the time in ms, of one clock for all processes. */
export function createHistory(now: () => number): History {
  const events: HistoryEvent[] = [];
  const live = new Map<string, Entry>();

  function look(): void {
    for (const [id, entry] of live) {
      const at = now();
      const { remaining } = entry.lease;
      const over = remaining === 0;
      if (over === entry.over && at + remaining <= entry.until) continue;
      events.push({ at, process: entry.process, type: 'held', id, remaining });
      entry.over = over;
      entry.until = Math.max(entry.until, at + remaining);
    }
  }

  return {
    events,
    look,
    granted(process, lease, permits) {
      look();
      const { key, owner: id, mode, token, remaining, signal } = lease;
      const at = now();
      const shared = permits === undefined ? {} : { permits };
      events.push(
        { at, process, type: 'call', id, call: { key, mode, ...shared, how: 'acquire' } },
        { at, process, type: 'granted', id, token: `${token}`, remaining },
      );
      live.set(id, { process, lease, until: at + remaining, over: remaining === 0 });
      const lost = (): void => {
        const code = isLockError(signal.reason) ? signal.reason.code : String(signal.reason);
        events.push({ at: now(), process, type: 'lost', id, code, held: lease.held });
        live.delete(id);
      };
      if (signal.aborted) lost();
      else signal.addEventListener('abort', lost);
    },
    async release(lease) {
      look();
      const { owner: id, remaining } = lease;
      const process = live.get(id)?.process;
      if (process === undefined) return await lease.release();
      live.delete(id);
      events.push({ at: now(), process, type: 'release', id, remaining });
      let answer: boolean | string = 'over';
      try {
        const freed = await lease.release();
        answer = freed;
        return freed;
      } finally {
        events.push({ at: now(), process, type: 'released', id, answer });
      }
    },
    crashed(process) {
      for (const [id, entry] of live) if (entry.process === process) live.delete(id);
      events.push({ at: now(), process, type: 'ended', killed: true });
    },
  };
}
