import { isLockError, outsideContext } from '@locks/core/adapter';
import type { Deadline, LockError, Places, Runtime } from '@locks/core/adapter';
import type { RedisClient, RedisSubscriber } from './client.ts';
import { toLockError } from './replies.ts';

const subscription = 'the subscription of the wake channel';

/** A subscription under way, and how to settle it. */
interface Opening {
  /** When it began, by the clock. */
  readonly since: number;
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: LockError) => void;
}

function createOpening(since: number): Opening {
  let resolve!: () => void;
  let reject!: (reason: LockError) => void;
  const promise = new Promise<void>((onOpen, onFailure) => {
    resolve = onOpen;
    reject = onFailure;
  });
  // Whoever waited may have given up.
  promise.catch(() => {});
  return { since, promise, resolve, reject };
}

/**
 * The one subscription of this process: a script publishes the owner whose turn it is, and its place is woken. Messages may be
 * lost, so whoever waits looks again by itself; after a re-subscription everybody does.
 */
export class WakeChannel {
  /**
   * What the scripts append to the channel prefix: names this process. It starts with the ms that its places last, which
   * other services can read there.
   */
  readonly process: string;
  readonly #channel: string;
  readonly #client: RedisClient;
  readonly #deadline: Deadline;
  readonly #runtime: Runtime;
  readonly #probeEvery: number;
  readonly #places: Places;
  #subscriber: RedisSubscriber | undefined = undefined;
  #subscribed = false;
  #opening: Opening | undefined = undefined;
  #closed: LockError | undefined = undefined;
  #lastHeard = 0;
  #probing = false;

  /** Silence longer than a third of `waiterTtl` ms is probed while a claim waits. */
  constructor(
    client: RedisClient,
    prefix: string,
    places: Places,
    deadline: Deadline,
    runtime: Runtime,
    waiterTtl: number,
  ) {
    this.process = `${waiterTtl}-${runtime.uniqueId()}`;
    this.#places = places;
    this.#channel = prefix + this.process;
    this.#client = client;
    this.#deadline = deadline;
    this.#runtime = runtime;
    this.#probeEvery = waiterTtl / 3;
  }

  /** Whether a message would arrive now, as far as is known. */
  get subscribed(): boolean {
    return this.#subscribed;
  }

  /**
   * Subscribes, unless that is done or under way. Whether messages arrive: this is waited for until the subscription has been
   * under way for `patience` ms. Where it is there later, all who wait are woken.
   * @throws `LOCK_MISCONFIGURED` where Redis refuses it for lack of permission; the next call tries again.
   */
  async open(patience: number): Promise<boolean> {
    if (this.#closed !== undefined) throw this.#closed;
    if (this.#subscribed) return true;
    const now = this.#runtime.clock.now();
    this.#opening ??= createOpening(now);
    const { since, promise } = this.#opening;
    outsideContext(() => this.#start());
    const left = since + patience - now;
    if (left <= 0) return false;
    try {
      await this.#deadline.race(promise, subscription, left);
      return true;
    } catch (error) {
      if (isLockError(error, 'LOCK_UNAVAILABLE')) return false;
      throw error;
    }
  }

  /** Asks whether the connection still answers, if it was silent: one that has died unnoticed would lose every message. */
  probe(): void {
    const now = this.#runtime.clock.now();
    const subscriber = this.#subscriber;
    if (subscriber === undefined || !this.#subscribed || this.#probing) return;
    if (now - this.#lastHeard < this.#probeEvery) return;
    this.#probing = true;
    this.#deadline.race(subscriber.ping(), 'a ping of the wake channel').then(
      () => {
        this.#probing = false;
        this.#lastHeard = this.#runtime.clock.now();
      },
      (error: unknown) => {
        this.#probing = false;
        if (this.#subscriber !== subscriber) return;
        // A refusal is an answer.
        if (isRefusal(error)) {
          this.#lastHeard = this.#runtime.clock.now();
          return;
        }
        this.#subscribed = false;
        subscriber.disconnect(true);
      },
    );
  }

  /** Ends the subscription; those who wait for it are rejected with `reason`. */
  close(reason: LockError): void {
    this.#closed = reason;
    this.#drop();
    this.#fail(reason);
  }

  #start(): void {
    if (this.#subscriber !== undefined) return;
    const subscriber = this.#client.duplicate({
      lazyConnect: true,
      autoResubscribe: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      // A dead connection is not waited for: until its successor is there, every message is lost.
      disconnectTimeout: 100,
      maxLoadingRetryTime: 200,
      retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
    });
    this.#subscriber = subscriber;
    let greeted = (): void => {};
    subscriber.on('message', (channel: string, owner: string) => this.#hear(channel, owner));
    subscriber.on('connect', () => {
      // The client itself waits for ever for a server that accepts it and then says nothing.
      const handshake = new Promise<void>((resolve) => (greeted = resolve));
      this.#deadline.race(handshake, 'the handshake of the wake channel').catch(() => subscriber.disconnect(true));
    });
    subscriber.on('ready', () => {
      greeted();
      void this.#subscribe(subscriber);
    });
    subscriber.on('close', () => {
      greeted();
      // A dropped one may close when its successor is there.
      if (this.#subscriber === subscriber) this.#subscribed = false;
    });
    subscriber.on('error', (error: unknown) => this.#refuse(subscriber, error));
    // A failed first connection is tried again by the client itself; "ready" tells when it is there.
    subscriber.connect().catch(() => {});
  }

  #hear(channel: string, owner: string): void {
    if (channel !== this.#channel) return;
    this.#lastHeard = this.#runtime.clock.now();
    this.#places.wake(owner);
  }

  async #subscribe(subscriber: RedisSubscriber): Promise<void> {
    try {
      await this.#deadline.race(subscriber.subscribe(this.#channel), subscription);
    } catch (error) {
      if (!this.#refuse(subscriber, error) && this.#subscriber === subscriber) subscriber.disconnect(true);
      return;
    }
    if (this.#subscriber !== subscriber) return;
    this.#subscribed = true;
    this.#lastHeard = this.#runtime.clock.now();
    this.#opening?.resolve();
    this.#opening = undefined;
    // While there was no subscription every message was lost.
    this.#places.wakeAll();
  }

  /** Whether `error` is one that another attempt cannot mend. */
  #refuse(subscriber: RedisSubscriber, error: unknown): boolean {
    const refusal = toLockError(error, { what: subscription });
    if (!isRefusal(refusal) || this.#subscriber !== subscriber) return false;
    this.#drop();
    this.#fail(refusal);
    return true;
  }

  #fail(reason: LockError): void {
    this.#opening?.reject(reason);
    this.#opening = undefined;
  }

  #drop(): void {
    const subscriber = this.#subscriber;
    this.#subscriber = undefined;
    this.#subscribed = false;
    subscriber?.disconnect();
  }
}

/** Whether Redis refused something, which it will again. */
function isRefusal(error: unknown): boolean {
  return toLockError(error, { what: '' }).code === 'LOCK_MISCONFIGURED';
}
