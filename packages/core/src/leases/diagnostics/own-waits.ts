import type { TimerEntry, TimerWheel } from '../../time/timer-wheel.ts';

/** A claim that may wait. */
export interface OwnWait {
  /** The key for which it waits without a limit; `undefined`: it does not. */
  readonly endless: string | undefined;
  readonly startedAt: number;
}

/** What own waits need from their `Locks`. */
export interface OwnWaitsParts {
  /** They do not keep the process running. */
  readonly timers: TimerWheel;
  /** In ms. */
  readonly threshold: number;
  /** All claims, the oldest first. */
  claims(): readonly OwnWait[];
  /** All leases. */
  leases(): readonly { readonly key: string; readonly working: boolean; readonly since: number }[];
}

/**
 * Warns once of a claim that waits for long for work of its own `Locks`. That work may wait for the
 * claim, and before Node 24 the context that would tell costs too much.
 */
export class OwnWaits implements TimerEntry {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  readonly #parts: OwnWaitsParts;
  #planned = false;

  constructor(parts: OwnWaitsParts) {
    this.#parts = parts;
  }

  /** `claim` waits. One look at all claims serves those of later as well. */
  begin({ endless, startedAt }: OwnWait): void {
    if (this.#planned || endless === undefined) return;
    this.#planned = true;
    this.#parts.timers.schedule(this, startedAt + this.#parts.threshold);
  }

  /** Its `Locks` is closing. */
  end(): void {
    this.#parts.timers.cancel(this);
  }

  due(now: number): void {
    const { claims, leases, threshold, timers } = this.#parts;
    const works = new Map(leases().flatMap(({ key, working, since }) => (working ? [[key, since]] : [])));
    let waiting = 0;
    for (const { endless, startedAt } of claims()) {
      if (endless === undefined) continue;
      waiting += 1;
      // Work that began after the claim does not wait for it.
      if (now - startedAt < threshold || !((works.get(endless) ?? Infinity) <= startedAt)) continue;
      warn(endless, now - startedAt);
      return;
    }
    this.#planned = waiting > 0;
    if (this.#planned) timers.schedule(this, now + threshold);
  }
}

function warn(key: string, waited: number): void {
  const message = `A claim for ${JSON.stringify(key)} has waited ${Math.round(waited)} ms for work of its own Locks.`;
  const detail =
    'If that work waits for the claim, neither ever ends: see "A lock inside of itself" in the docs. ' +
    'createLocks({ findDeadlocks: true }) refuses such a claim, and false ends this warning, which comes once.';
  process.emitWarning(message, { code: 'LOCKS_OWN_WAIT', detail });
}
