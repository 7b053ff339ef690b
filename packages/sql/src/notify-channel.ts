import { outsideContext } from '@locks/core/adapter';
import type { Deadline, LockError, Places, Runtime, TimerHandle } from '@locks/core/adapter';
import type { Dialect, Listener } from './dialect.ts';
import type { Poller } from './poller.ts';
import type { Wakes } from './wakes.ts';

/** How long after a listener was lost, or could not be had, another is tried, in ms: doubling. */
const firstRetry = 50;
const longestRetry = 5_000;

/**
 * The one listening connection of this process. Messages may be lost, so whoever waits looks again by itself; when the connection
 * was lost everybody looks once it is back, and until then a poller looks instead.
 */
export class NotifyChannel implements Wakes {
  readonly #listen: NonNullable<Dialect['listen']>;
  readonly #places: Places;
  readonly #poller: Poller;
  readonly #deadline: Deadline;
  readonly #runtime: Runtime;
  readonly #probeEvery: number;
  #listener: Listener | undefined = undefined;
  #opening: Promise<void> | undefined = undefined;
  #failures = 0;
  #retryAt = 0;
  #timer: TimerHandle | undefined = undefined;
  #lastHeard = 0;
  #probing = false;
  #closed: LockError | undefined = undefined;

  /** Silence longer than `probeEvery` ms is probed while somebody waits. */
  constructor(
    listen: NonNullable<Dialect['listen']>,
    places: Places,
    poller: Poller,
    deadline: Deadline,
    runtime: Runtime,
    probeEvery: number,
  ) {
    this.#listen = listen;
    this.#places = places;
    this.#poller = poller;
    this.#deadline = deadline;
    this.#runtime = runtime;
    this.#probeEvery = probeEvery;
  }

  get open(): boolean {
    return this.#listener !== undefined;
  }

  /** Resolves when turns are heard of, or looked for: a database that refuses a listener is polled. */
  start(): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (this.#listener !== undefined) return Promise.resolve();
    if (this.#opening === undefined && this.#runtime.clock.now() < this.#retryAt) return this.#poller.start();
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  probe(): void {
    if (this.#listener === undefined) {
      // Somebody waits: it is looked for them until it is told again.
      this.start().catch(() => {});
      this.#poller.probe();
      return;
    }
    this.#check(this.#listener);
  }

  close(reason: LockError): void {
    this.#closed = reason;
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    this.#poller.close();
    this.#listener?.close();
    this.#listener = undefined;
  }

  async #open(): Promise<void> {
    let gone = false;
    let listener: Listener | undefined;
    const lost = (): void => {
      gone = true;
      if (listener !== undefined) this.#lose(listener);
    };
    const opening = outsideContext(() => this.#listen((owner) => this.#hear(owner), lost));
    try {
      listener = await this.#deadline.race(opening, 'LISTEN');
    } catch {
      // It may come after all.
      opening.then((late) => late.close()).catch(() => {});
      this.#fail();
      return await this.#poller.start();
    }
    if (gone || this.#closed !== undefined) {
      listener.close();
      if (this.#closed !== undefined) throw this.#closed;
      this.#fail();
      return await this.#poller.start();
    }
    this.#failures = 0;
    this.#listener = listener;
    this.#poller.pause();
    this.#lastHeard = this.#runtime.clock.now();
    // While nobody listened every message was lost.
    this.#places.wakeAll();
  }

  #hear(owner: string): void {
    this.#lastHeard = this.#runtime.clock.now();
    this.#places.wake(owner);
  }

  #check(listener: Listener): void {
    if (this.#probing || this.#runtime.clock.now() - this.#lastHeard < this.#probeEvery) return;
    this.#probing = true;
    this.#deadline
      .race(listener.probe(), 'a probe of the listener')
      .then(
        () => (this.#lastHeard = this.#runtime.clock.now()),
        () => this.#lose(listener),
      )
      .finally(() => (this.#probing = false));
  }

  #lose(listener: Listener): void {
    if (this.#listener !== listener) return;
    this.#listener = undefined;
    listener.close();
    this.#fail();
    if (this.#places.size > 0) this.probe();
  }

  /** Another listener is opened after a while, if somebody waits by then; else when somebody does. */
  #fail(): void {
    const delay = Math.min(firstRetry * 2 ** this.#failures++, longestRetry);
    this.#retryAt = this.#runtime.clock.now() + delay;
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    // A ms more than the delay: a timer may fire in the ms before.
    this.#timer = this.#runtime.setTimer(() => this.#retry(), delay + 1, false);
  }

  #retry(): void {
    this.#timer = undefined;
    if (this.#closed === undefined && this.#listener === undefined && this.#places.size > 0) this.probe();
  }
}
