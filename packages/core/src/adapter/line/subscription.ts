import { isLockError } from '../../errors/lock-error.ts';
import { createDeferred } from '../../time/deferred.ts';
import type { Deferred } from '../../time/deferred.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { Assignment } from './assignment.ts';
import type { TimerHandle } from '../../time/runtime.ts';
import type { LineParts, Listen, Listener } from './line-parts.ts';
import type { Places } from './places.ts';
import { Poller } from './poller.ts';

/** The pause before the second subscription, in ms. It doubles with each that fails. */
const firstRetry = 50;
/**
 * The longest of these pauses, in ms. Shorter ones cost a backend that is down more connections.
 * Longer ones keep claims without a place in line for longer after the backend is back.
 */
const longestRetry = 1_000;
/** The same where a poller finds the turns meanwhile, so that a pause costs waiters little. */
const longestRetryPolled = 5_000;

/** What claims wait for while there is no listener. */
interface Opening extends Deferred {
  /** When the first of these claims came, by the clock. */
  readonly since: number;
}

/** One listener, from the call that opens it on. */
interface Subscribed {
  readonly over: AbortController;
  /** `undefined` while it is being opened. */
  listener: Listener | undefined;
  /** A message has arrived. */
  hears: boolean;
  /** When a message or the answer to a probe last arrived, by the clock. */
  heardAt: number;
  probing: boolean;
}

/**
 * How one process hears of its turns. Opens a listener when a claim has to wait, and another one
 * after a loss, while a claim waits. A poller looks while no listener hears, if there is one.
 * Beside a listener it looks where `heardInterval` says so. Messages may be lost, so all claims
 * look again after a gap, and each looks at its own pace.
 */
export class Subscription {
  readonly #parts: LineParts;
  readonly #places: Places;
  readonly #refresh: number;
  readonly #poller: Poller | undefined;
  #subscribed: Subscribed | undefined = undefined;
  #opening: Opening | undefined = undefined;
  /** The poller stands in: claims take places in line without a listener. */
  #polls: boolean;
  #failures = 0;
  #retry: TimerHandle | undefined = undefined;
  #closed: Error | undefined = undefined;

  constructor(parts: LineParts, places: Places, refresh: number) {
    const { look, listen, runtime } = parts;
    this.#parts = parts;
    this.#places = places;
    this.#refresh = refresh;
    this.#poller = look && new Poller(look, places, runtime);
    this.#polls = listen === undefined && look !== undefined;
  }

  /** Whether a claim in line would hear of its turn, as far as is known. */
  get open(): boolean {
    return this.#polls || this.#subscribed?.listener !== undefined;
  }

  /**
   * Whether `open` comes true, which claims wait for until `patience` ms after the first of them
   * came. If it comes true later, all claims that wait are woken.
   * @throws `LOCK_MISCONFIGURED` where the backend refuses the subscription. The next call retries.
   */
  async whenOpen(patience: number): Promise<boolean> {
    if (this.#closed !== undefined) throw this.#closed;
    if (this.open) return true;
    const { deadline, runtime } = this.#parts;
    const now = runtime.clock.now();
    this.#opening ??= { since: now, ...createDeferred() };
    const { since, promise } = this.#opening;
    this.#start();
    const left = since + patience - now;
    try {
      if (left > 0) await deadline.race(promise, 'the subscription', left);
    } catch (error) {
      if (!isLockError(error, 'LOCK_UNAVAILABLE')) throw error;
    }
    this.#polls = this.#poller !== undefined;
    return this.open;
  }

  /** To be called when a claim was told to wait: makes sure that it hears of its turn. */
  check(): void {
    this.#start();
    const current = this.#subscribed;
    this.#poller?.start(current?.hears === true);
    if (current?.listener !== undefined) this.#probe(current, current.listener);
  }

  /** Ends the listener. Claims that wait for one are rejected with `reason`. */
  close(reason: Error): void {
    this.#closed = reason;
    if (this.#retry !== undefined) this.#parts.runtime.clearTimer(this.#retry);
    this.#poller?.close();
    this.#drop();
    this.#endOpening((opening) => opening.reject(reason));
  }

  #start(): void {
    const { listen } = this.#parts;
    const busy = this.#subscribed !== undefined || this.#retry !== undefined;
    if (listen === undefined || busy || this.#closed !== undefined) return;
    void outsideContext(() => this.#open(listen));
  }

  async #open(listen: Listen): Promise<void> {
    const { runtime, deadline } = this.#parts;
    const over = new AbortController();
    const heardAt = runtime.clock.now();
    const subscribed: Subscribed = { over, listener: undefined, hears: false, heardAt, probing: false };
    this.#subscribed = subscribed;
    const opening = (async () =>
      await listen(
        (owner, assigned) => this.#hear(subscribed, owner, assigned),
        (reason) => this.#lose(subscribed, reason),
        over.signal,
      ))();
    opening.then(
      (late) => over.signal.aborted && late.close(),
      () => {},
    );
    try {
      const listener = await deadline.race(opening, 'the subscription');
      if (!over.signal.aborted) this.#opened(subscribed, listener);
    } catch (error) {
      this.#lose(subscribed, error);
    }
  }

  #opened(subscribed: Subscribed, listener: Listener): void {
    subscribed.listener = listener;
    subscribed.heardAt = this.#parts.runtime.clock.now();
    // Without a poller, there is no other way to hear of a turn.
    if (subscribed.hears || this.#poller === undefined) this.#trust();
    else this.#poller.start(false);
    this.#endOpening((opening) => opening.resolve());
    // While there was no listener, every message was lost.
    this.#places.wakeAll();
  }

  #hear(subscribed: Subscribed, owner: string | undefined, assigned: Assignment | undefined): void {
    subscribed.heardAt = this.#parts.runtime.clock.now();
    if (!subscribed.hears) {
      subscribed.hears = true;
      if (subscribed === this.#subscribed && subscribed.listener !== undefined) this.#trust();
    }
    if (owner === undefined) {
      this.#poller?.lookNow();
      return;
    }
    if (assigned !== undefined) this.#places.assign(owner, assigned);
    this.#places.wake(owner);
  }

  #trust(): void {
    this.#failures = 0;
    this.#poller?.start(true);
    this.#parts.report?.('listening', undefined);
  }

  /** A connection may die without a sign, and would lose every message. */
  #probe(subscribed: Subscribed, listener: Listener): void {
    const { runtime, deadline } = this.#parts;
    if (subscribed.probing || runtime.clock.now() - subscribed.heardAt < this.#refresh) return;
    subscribed.probing = true;
    deadline.race(listener.probe(), 'a probe of the subscription').then(
      () => {
        subscribed.probing = false;
        subscribed.heardAt = runtime.clock.now();
      },
      (error: unknown) => this.#lose(subscribed, error),
    );
  }

  #lose(subscribed: Subscribed, reason: unknown): void {
    if (this.#subscribed !== subscribed) return;
    const wasOpen = subscribed.listener !== undefined;
    this.#drop();
    this.#parts.report?.('polling', reason);
    if (this.#poller !== undefined) {
      this.#polls = true;
      this.#poller.start(false);
      this.#endOpening((opening) => opening.resolve());
      // Others may see its end, and pass its places over. A call shows them again.
      if (wasOpen) this.#places.wakeAll();
    } else if (isLockError(reason, 'LOCK_MISCONFIGURED')) {
      this.#endOpening((opening) => opening.reject(reason));
      return;
    }
    const longest = this.#poller === undefined ? longestRetry : longestRetryPolled;
    const pause = Math.min(firstRetry * 2 ** this.#failures++, longest);
    this.#retry = this.#parts.runtime.setTimer(() => this.#startAgain(), pause, false);
  }

  #startAgain(): void {
    this.#retry = undefined;
    if (this.#places.size > 0) this.#start();
    else this.#opening = undefined;
  }

  #drop(): void {
    const subscribed = this.#subscribed;
    this.#subscribed = undefined;
    subscribed?.over.abort();
    subscribed?.listener?.close();
  }

  #endOpening(settle: (opening: Opening) => void): void {
    if (this.#opening !== undefined) settle(this.#opening);
    this.#opening = undefined;
  }
}
