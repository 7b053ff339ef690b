import type { Claim, Holder, WakeCause } from '../../contract.ts';
import type { TimerEntry, TimerWheel } from '../../time/timer-wheel.ts';
import { labelOf } from '../../text/label-of.ts';
import { about, channels } from './channels.ts';
import type { SlowMessage } from './messages.ts';

/** The most keys whose longest hold is remembered. More need more memory. */
const mostKeys = 1_000;

/**
 * A wait below this, in ms, is never reported as longer than the longest hold. With less, each
 * queue of short holds would be reported.
 */
const shortestNews = 1_000;

/** What slow waits need from their client. */
export interface SlowWaitsParts {
  /** They do not keep the process running. */
  readonly timers: TimerWheel;
  readonly provider: { readonly name: string };
  readonly lookups: { find(key: string): Promise<{ readonly holders: readonly Holder[] }> };
  /** In ms. */
  readonly threshold: number;
}

/** Reports claims that wait for long. Used only while `locks:slow` has a listener. */
export class SlowWaits {
  readonly #parts: SlowWaitsParts;
  /** By key, in ms; the key set last comes last. */
  readonly #longest = new Map<string, number>();

  constructor(parts: SlowWaitsParts) {
    this.#parts = parts;
  }

  /** A claim waits since `startedAt`. */
  begin(claim: () => Claim, startedAt: number): SlowWait {
    return new SlowWait(this.#parts, this.#longest, claim, startedAt);
  }

  /** A hold on `key` has ended after `heldFor` ms. */
  held(key: string, heldFor: number): void {
    if (heldFor <= (this.#longest.get(key) ?? -1)) return;
    this.#longest.delete(key);
    this.#longest.set(key, heldFor);
    for (const oldest of this.#longest.keys()) {
      if (this.#longest.size <= mostKeys) break;
      this.#longest.delete(oldest);
    }
  }
}

export class SlowWait implements TimerEntry {
  timerPrevious: TimerEntry | undefined = undefined;
  timerNext: TimerEntry | undefined = undefined;
  readonly #parts: SlowWaitsParts;
  readonly #longest: ReadonlyMap<string, number>;
  readonly #claim: () => Claim;
  readonly #startedAt: number;
  readonly #told = new Set<SlowMessage['reason']>();
  readonly #wokenBy = new Set<WakeCause>();

  constructor(parts: SlowWaitsParts, longest: ReadonlyMap<string, number>, claim: () => Claim, startedAt: number) {
    this.#parts = parts;
    this.#longest = longest;
    this.#claim = claim;
    this.#startedAt = startedAt;
    this.#plan();
  }

  woken(by: WakeCause): void {
    this.#wokenBy.add(by);
  }

  end(): void {
    this.#parts.timers.cancel(this);
  }

  due(now: number): void {
    const waited = now - this.#startedAt;
    for (const [reason, limit] of this.#limits()) {
      if (waited <= limit) continue;
      this.#told.add(reason);
      void this.#tell(reason, waited);
    }
    this.#plan();
  }

  #plan(): void {
    const limit = Math.min(...this.#limits().map(([, each]) => each));
    this.#parts.timers.schedule(this, Math.floor(this.#startedAt + limit) + 1);
  }

  /** The limits not reported yet, in ms from the call. */
  #limits(): readonly (readonly [SlowMessage['reason'], number])[] {
    const longest = this.#longest.get(this.#claim().key);
    const limits = [
      ['threshold', this.#parts.threshold],
      ['longest hold', longest === undefined ? Infinity : Math.max(longest, shortestNews)],
    ] as const;
    return limits.filter(([reason]) => !this.#told.has(reason));
  }

  async #tell(reason: SlowMessage['reason'], waited: number): Promise<void> {
    const { lookups, provider } = this.#parts;
    const claim = this.#claim();
    const longestHold = this.#longest.get(claim.key);
    const { holders } = await lookups.find(claim.key);
    channels.slow.publish({
      ...about(provider.name, claim),
      reason,
      waited,
      by: [...new Set(holders.map(({ owner }) => labelOf(owner)))],
      owners: holders.map(({ owner }) => owner),
      wokenBy: [...this.#wokenBy],
      ...(longestHold === undefined ? {} : { longestHold }),
    });
  }
}
