import type { Busy, Claim, Holder, Mode, WakeCause } from '../../contract.ts';
import { isLockError } from '../../errors/lock-error.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { ownTimeoutError, timeoutError, unavailableError } from '../../errors/messages.ts';
import type { Settings } from '../../options/acquire-options.ts';
import { labelOf } from '../../text/label-of.ts';
import { untilAccepted, untilPoll, untilRetry } from '../../time/backoff.ts';
import { about, channels, messageAbout } from '../diagnostics/channels.ts';
import type { SlowWait } from '../diagnostics/slow-waits.ts';
import type { AcquisitionHost } from './acquisition-host.ts';
import type { Looked } from './holder-lookups.ts';

/**
 * How old a busy answer may be at the end of a wait, in ms. With more, a waiter whose store has
 * failed since would report contention.
 */
const freshAnswer = 250;

const unseen: Promise<Looked> = Promise.resolve({ holders: [] });

interface Overdue {
  readonly claim: Claim;
  /** The caller wants `null` for "not free". */
  readonly orNull: boolean;
  /** How its caller's context holds the key itself. */
  readonly own: Mode | undefined;
  /** Reports to diagnostics, before the caller's promise settles. */
  tell(error: LockError | undefined): void;
}

/** The wait of a call whose first attempt was not granted, and the answers of its attempts. */
export class Wait {
  readonly #host: AcquisitionHost;
  readonly #settings: Settings;
  /**
   * When rejections end the call: a ttl after the first one since the last answer, or after the
   * time until which the backend said that it refuses.
   */
  #unavailableAt = Infinity;
  /** The last answer was busy, not a rejection. */
  #busy = false;
  #answeredAt = 0;
  #cause: unknown = undefined;
  /** Of a full queue. */
  #queueLimit: number | undefined = undefined;
  #polls = 0;
  #counted = false;
  /** It was checked for waiting for its own caller, or needs no check. */
  #looked: boolean;
  /** Its report as slow, if the channel has a listener. */
  #slow: SlowWait | undefined = undefined;

  constructor(host: AcquisitionHost, settings: Settings) {
    this.#host = host;
    this.#settings = settings;
    this.#looked = host.ownWaits === undefined || settings.waitForSelf || settings.wait < Infinity;
  }

  get unavailableAt(): number {
    return this.#unavailableAt;
  }

  /** Its last settled attempt was rejected. */
  get refused(): boolean {
    return !this.#busy && this.#unavailableAt < Infinity;
  }

  get counted(): boolean {
    return this.#counted;
  }

  /** No recent busy answer proves that the store works. */
  get isOld(): boolean {
    return !this.#busy || this.#host.runtime.clock.now() - this.#answeredAt > freshAnswer;
  }

  answeredBusy({ queueLimit }: Busy): void {
    this.#busy = true;
    this.#queueLimit = queueLimit;
    this.#answeredAt = this.#host.runtime.clock.now();
    if (this.#unavailableAt < Infinity) this.#polls = 0;
    this.#unavailableAt = Infinity;
  }

  /** It waits, and is counted from the first time on. */
  begin(claim: () => Claim, startedAt: number): void {
    const host = this.#host;
    if (!this.#looked) this.#looked = host.ownWaits?.(claim().key, startedAt, this.#answeredAt) ?? true;
    if (this.#counted) return;
    this.#counted = true;
    host.waiters.enter();
    if (channels.slow.hasSubscribers) this.#slow = host.slowWaits.begin(claim, startedAt);
    if (channels.wait.hasSubscribers) channels.wait.publish(about(host.provider.name, claim()));
  }

  woken(claim: Claim, by: WakeCause | undefined): void {
    if (by !== undefined) this.#slow?.woken(by);
    if (!channels.woken.hasSubscribers) return;
    channels.woken.publish(messageAbout(this.#host.provider.name, claim, by === undefined ? {} : { by }));
  }

  end(): void {
    this.#slow?.end();
    if (this.#counted) this.#host.waiters.leave();
  }

  /** Ms until the next attempt after a busy answer. */
  pause(retryAfter: number | undefined): number {
    const { runtime } = this.#host;
    return retryAfter === undefined
      ? untilPoll(runtime, this.#polls++, this.#settings.ttl)
      : untilRetry(runtime, retryAfter);
  }

  /** Ms until the next attempt after a rejection. `undefined`: none. */
  rejected(error: unknown): number | undefined {
    this.#busy = false;
    this.#cause = error;
    const { runtime } = this.#host;
    const { wait, ttl } = this.#settings;
    const now = runtime.clock.now();
    const left = isLockError(error) ? error.retryAfter : undefined;
    this.#unavailableAt = left === undefined ? Math.min(this.#unavailableAt, now + ttl) : now + left + ttl;
    if (wait === 0 || now >= this.#unavailableAt) return undefined;
    return left === undefined ? untilPoll(runtime, this.#polls++, ttl) : untilAccepted(runtime, left);
  }

  /** The error of a call without an answer, or without a fresh one. */
  unavailable(claim: Claim, cause: unknown = this.#cause): LockError {
    const { provider } = this.#host;
    return unavailableError(provider, claim, cause ?? provider.outage?.());
  }

  /**
   * After its limit, tells the caller which processes hold the key, or that the store no longer
   * answers. As this is an async function, the stack of its error contains the caller.
   */
  async overdue({ claim, orNull, own, tell }: Overdue): Promise<null> {
    const { wait } = this.#settings;
    const old = this.isOld;
    const looks = old || (wait > 0 && own === undefined);
    const looked = looks ? this.#host.lookups.find(claim.key) : unseen;
    // The caller is in the stack when its promise follows this one, which takes a turn.
    await unseen;
    const { holders, silent } = await looked;
    const isContended = silent === undefined && (this.#busy || areOthers(holders, claim));
    let error: LockError | undefined;
    if (old && !isContended) error = this.unavailable(claim, silent?.cause);
    else if (own !== undefined) error = ownTimeoutError(claim, wait, own);
    else if (!orNull) {
      const labels = new Set(holders.map(({ owner }) => labelOf(owner)));
      error = timeoutError(claim.key, wait, [...labels], this.#queueLimit);
    }
    tell(error);
    if (error !== undefined) throw error;
    return null;
  }
}

/** Whether others hold the key of `claim`. If it holds the key itself, its grant was lost. */
function areOthers(holders: readonly Holder[], { owner }: Claim): boolean {
  // A composite may report an owner as its member knows it.
  return holders.length > 0 && !holders.some((holder) => `${holder.owner}~`.startsWith(`${owner}~`));
}
