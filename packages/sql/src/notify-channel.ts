import { outsideContext } from '@locks/core/adapter';
import type { Deadline, LockError, Places, Runtime, TimerHandle } from '@locks/core/adapter';
import type { Listener, LockStore as Dialect } from './dialect/lock-store.ts';
import type { Poller } from './poller.ts';
import type { WakeReports } from './wake-reports.ts';
import type { Wakes } from './wakes.ts';

/** How long after a listener was lost or could not be had, or a message not be sent, another is tried, in ms: doubling. */
const firstRetry = 50;
const longestRetry = 5_000;
/** How long after one heard nothing another is tried, in ms: what is in between changes seldom. */
const deafRetry = 60_000;
/** A message of its own that a listener has not heard after this time, in ms, it never hears. */
const echoPatience = 1_000;

const deaf =
  'a message to itself was not heard: a pooler lends the connection that listens to others; set option "listen" to false';

/** What a channel is made of. */
export interface NotifyChannelParts {
  readonly listen: NonNullable<Dialect['listen']>;
  /** Sends a message about the owner '' to the listener of this process. */
  readonly echo: () => Promise<unknown>;
  readonly places: Places;
  readonly poller: Poller;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
  /** Silence longer than so many ms is probed while somebody waits. */
  readonly probeEvery: number;
  readonly reports: WakeReports;
}

/**
 * The one listening connection of this process. Messages may be lost, so whoever waits looks again by itself; when the connection
 * was lost everybody looks once it is back, and until then a poller looks instead. A listener may hear nothing, behind a pooler: the
 * poller looks until it has heard a message of this process to itself.
 */
export class NotifyChannel implements Wakes {
  readonly #parts: NotifyChannelParts;
  readonly #places: Places;
  readonly #poller: Poller;
  readonly #deadline: Deadline;
  readonly #runtime: Runtime;
  #listener: Listener | undefined = undefined;
  /** The listener has heard something. */
  #hears = false;
  #opening: Promise<void> | undefined = undefined;
  #failures = 0;
  #retryAt = 0;
  #timer: TimerHandle | undefined = undefined;
  #echoTimer: TimerHandle | undefined = undefined;
  #lastHeard = 0;
  #probing = false;
  #closed: LockError | undefined = undefined;

  constructor(parts: NotifyChannelParts) {
    this.#parts = parts;
    this.#places = parts.places;
    this.#poller = parts.poller;
    this.#deadline = parts.deadline;
    this.#runtime = parts.runtime;
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
    if (!this.#hears) this.#poller.probe();
    this.#check(this.#listener);
  }

  close(reason: LockError): void {
    this.#closed = reason;
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    if (this.#echoTimer !== undefined) this.#runtime.clearTimer(this.#echoTimer);
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
    const opening = outsideContext(() => this.#parts.listen((owner) => this.#hear(owner), lost));
    try {
      listener = await this.#deadline.race(opening, 'LISTEN');
    } catch (error) {
      // It may come after all.
      opening.then((late) => late.close()).catch(() => {});
      this.#parts.reports.tell('polling', error);
      this.#fail();
      return await this.#poller.start();
    }
    if (gone || this.#closed !== undefined) {
      listener.close();
      if (this.#closed !== undefined) throw this.#closed;
      this.#fail();
      return await this.#poller.start();
    }
    this.#listener = listener;
    this.#hears = false;
    this.#poller.probe();
    this.#lastHeard = this.#runtime.clock.now();
    outsideContext(() => void this.#askToHear(listener));
    // While nobody listened every message was lost.
    this.#places.wakeAll();
  }

  #hear(owner: string): void {
    this.#lastHeard = this.#runtime.clock.now();
    if (!this.#hears && this.#listener !== undefined) {
      this.#hears = true;
      this.#failures = 0;
      this.#poller.pause();
      this.#parts.reports.tell('listening', undefined);
    }
    if (owner !== '') this.#places.wake(owner);
  }

  /** Gives `listener` up if it does not hear a message of this process. One that could not be sent says nothing of it. */
  async #askToHear(listener: Listener): Promise<void> {
    if (this.#hears || this.#listener !== listener) return;
    try {
      await this.#parts.echo();
    } catch (error) {
      if (this.#hears || this.#listener !== listener) return;
      this.#parts.reports.tell('polling', error);
      this.#echoTimer = this.#runtime.setTimer(() => void this.#askToHear(listener), this.#nextDelay(), false);
      return;
    }
    if (this.#hears || this.#listener !== listener) return;
    this.#echoTimer = this.#runtime.setTimer(
      () => {
        if (!this.#hears) this.#lose(listener, deafRetry, new Error(deaf));
      },
      echoPatience,
      false,
    );
  }

  #check(listener: Listener): void {
    if (this.#probing || this.#runtime.clock.now() - this.#lastHeard < this.#parts.probeEvery) return;
    this.#probing = true;
    this.#deadline
      .race(listener.probe(), 'a probe of the listener')
      .then(
        () => (this.#lastHeard = this.#runtime.clock.now()),
        () => this.#lose(listener),
      )
      .finally(() => (this.#probing = false));
  }

  #lose(listener: Listener, leastDelay = 0, reason: unknown = new Error('the connection that listens was lost')): void {
    if (this.#listener !== listener) return;
    this.#listener = undefined;
    listener.close();
    this.#parts.reports.tell('polling', reason);
    this.#fail(leastDelay);
    if (this.#places.size > 0) this.probe();
  }

  /** Another listener is opened after a while, if somebody waits by then; else when somebody does. */
  #fail(leastDelay = 0): void {
    const delay = Math.max(this.#nextDelay(), leastDelay);
    this.#retryAt = this.#runtime.clock.now() + delay;
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    // A ms more than the delay: a timer may fire in the ms before.
    this.#timer = this.#runtime.setTimer(() => this.#retry(), delay + 1, false);
  }

  #nextDelay(): number {
    return Math.min(firstRetry * 2 ** this.#failures++, longestRetry);
  }

  #retry(): void {
    this.#timer = undefined;
    if (this.#closed === undefined && this.#listener === undefined && this.#places.size > 0) this.probe();
  }
}
