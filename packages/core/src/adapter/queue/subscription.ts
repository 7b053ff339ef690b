import { isLockError } from '../../errors/lock-error.ts';
import { createDeferred } from '../../time/deferred.ts';
import type { Deferred } from '../../time/deferred.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { TimerHandle } from '../../time/runtime.ts';
import type { Listen, Listener, QueueParts } from './queue-parts.ts';
import type { QueuedClaims } from './queued-claims.ts';
import { Poller } from './poller.ts';

/** The pause before the second subscription, in ms. It doubles with each failure. */
const firstRetry = 50;
/**
 * The longest of these pauses, in ms. Shorter ones cost a failed backend more connections. Longer
 * ones keep claims without a position for longer after the backend has recovered.
 */
const longestRetry = 1_000;
/** The same where a poller finds the turns, so that a pause costs waiters little. */
const longestRetryPolled = 5_000;

/**
 * How this process learns of its turns. `closed`: not subscribed. `opening`: a listener is being
 * opened. `unproven`: no message has arrived yet, and a poller finds the turns. `hearing`: messages
 * arrive. `pausing`: the listener was refused or lost; another one follows after a pause. `over`:
 * permanently closed.
 */
type Stage = 'closed' | 'opening' | 'unproven' | 'hearing' | 'pausing' | 'over';

/** What claims wait for while no listener is open. */
interface Opening extends Deferred {
  /** When the first of these claims came, by the clock. */
  readonly since: number;
}

/**
 * How one process learns of its turns. Opens a listener when a claim has to wait, and again after a
 * loss while a claim waits. A poller, if any, looks while no listener is open, and beside one if
 * `heardInterval` is set. Messages may be lost, so all claims look again after a gap, and each
 * looks at its own interval.
 */
export class Subscription {
  readonly #parts: QueueParts;
  readonly #claims: QueuedClaims;
  readonly #refresh: number;
  readonly #poller: Poller | undefined;
  #stage: Stage = 'closed';
  #listener: Listener | undefined = undefined;
  /** Aborted when the listener is abandoned, also during its opening. */
  #over = new AbortController();
  /**
   * When a message or the answer to a probe last arrived, by the clock. `Infinity`: a probe runs.
   */
  #heardAt = 0;
  #opening: Opening | undefined = undefined;
  /** The poller substitutes: claims take positions without a listener. */
  #polls: boolean;
  #failures = 0;
  #retry: TimerHandle | undefined = undefined;

  constructor(parts: QueueParts, claims: QueuedClaims, refresh: number) {
    const { look, listen, runtime } = parts;
    this.#parts = parts;
    this.#claims = claims;
    this.#refresh = refresh;
    this.#poller = look && new Poller(look, claims, runtime);
    this.#polls = listen === undefined && look !== undefined;
  }

  /** Whether a claim in the queue would be notified of its turn, as far as is known. */
  get open(): boolean {
    return this.#polls || this.#listener !== undefined;
  }

  /**
   * Whether `open` becomes true within `patience` ms after the first waiting claim came. If it
   * becomes true later, all waiting claims are woken.
   * @throws `LOCK_MISCONFIGURED` where the backend refuses the subscription. The next call retries.
   */
  async whenOpen(patience: number): Promise<boolean> {
    if (this.open) return true;
    const now = this.#now;
    this.#opening ??= { since: now, ...createDeferred() };
    const { since, promise } = this.#opening;
    this.#start();
    const left = since + patience - now;
    try {
      if (left > 0) await this.#parts.deadline.race(promise, 'the subscription', left);
    } catch (error) {
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    }
    this.#polls = this.#poller !== undefined;
    return this.open;
  }

  /** Call it when a claim was answered busy: ensures that it is notified of its turn. */
  check(): void {
    this.#start();
    this.#poller?.start(this.#stage === 'hearing');
    if (this.#listener !== undefined && this.#now - this.#heardAt >= this.#refresh) this.#probe(this.#listener);
  }

  /** Ends the listener. Claims that wait for one reject with `reason`. */
  close(reason: Error): void {
    if (this.#retry !== undefined) this.#parts.runtime.clearTimer(this.#retry);
    this.#poller?.close();
    this.#drop('over');
    this.#endOpening((opening) => opening.reject(reason));
  }

  #start(): void {
    const { listen } = this.#parts;
    if (listen !== undefined && this.#stage === 'closed') void outsideContext(() => this.#open(listen));
  }

  async #open(listen: Listen): Promise<void> {
    const over = new AbortController();
    const { signal } = over;
    this.#over = over;
    this.#stage = 'opening';
    // Without a poller, no other way reports a turn.
    let proven = this.#poller === undefined;
    const lose = (reason: unknown): void => {
      if (!signal.aborted) this.#lose(reason);
    };
    const hear: Parameters<Listen>[0] = (owner, assigned) => {
      if (!signal.aborted) this.#heardAt = this.#now;
      proven = true;
      if (!signal.aborted && this.#listener !== undefined) this.#trust();
      if (owner === undefined) this.#poller?.lookNow();
      else if (assigned === undefined) this.#claims.notify(owner, 'message');
      else this.#claims.assign(owner, assigned, 'assigned');
    };
    const opening = (async () => await listen(hear, lose, signal))();
    opening.then(
      (late) => signal.aborted && late.close(),
      () => {},
    );
    try {
      const listener = await this.#parts.deadline.race(opening, 'the subscription');
      if (signal.aborted) return;
      this.#listener = listener;
      this.#heardAt = this.#now;
      this.#stage = 'unproven';
      if (proven) this.#trust();
      else this.#poller?.start(false);
      this.#endOpening((waiting) => waiting.resolve());
      // While no listener was open, every message was lost.
      this.#claims.notifyAll('gap');
    } catch (error) {
      lose(error);
    }
  }

  #trust(): void {
    if (this.#stage === 'hearing') return;
    this.#stage = 'hearing';
    this.#failures = 0;
    this.#poller?.start(true);
    this.#parts.report?.('listening', undefined);
  }

  /** A connection may die without a sign, and would lose every message. */
  #probe(listener: Listener): void {
    const { signal } = this.#over;
    this.#heardAt = Infinity;
    this.#parts.deadline.race(listener.probe(), 'a probe of the subscription').then(
      () => {
        if (!signal.aborted) this.#heardAt = this.#now;
      },
      (error: unknown) => {
        if (!signal.aborted) this.#lose(error);
      },
    );
  }

  #lose(reason: unknown): void {
    const wasOpen = this.#listener !== undefined;
    this.#drop('closed');
    this.#parts.report?.('polling', reason);
    if (this.#poller !== undefined) {
      this.#polls = true;
      this.#poller.start(false);
      this.#endOpening((opening) => opening.resolve());
      // Other processes may see its end and skip its positions. A call refreshes them.
      if (wasOpen) this.#claims.notifyAll('gap');
    } else if (isLockError(reason, 'LOCK_MISCONFIGURED')) {
      this.#endOpening((opening) => opening.reject(reason));
      return;
    }
    const longest = this.#poller === undefined ? longestRetry : longestRetryPolled;
    const pause = Math.min(firstRetry * 2 ** this.#failures++, longest);
    this.#stage = 'pausing';
    this.#retry = this.#parts.runtime.setTimer(() => this.#startAgain(), pause, false);
  }

  #startAgain(): void {
    this.#stage = 'closed';
    if (this.#claims.size > 0) this.#start();
    else this.#opening = undefined;
  }

  #drop(stage: Stage): void {
    this.#stage = stage;
    this.#over.abort();
    this.#listener?.close();
    this.#listener = undefined;
  }

  #endOpening(settle: (opening: Opening) => void): void {
    if (this.#opening !== undefined) settle(this.#opening);
    this.#opening = undefined;
  }

  get #now(): number {
    return this.#parts.runtime.clock.now();
  }
}
