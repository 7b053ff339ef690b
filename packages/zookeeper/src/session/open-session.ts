import { setMaxListeners } from 'node:events';
import { outsideContext } from '@locks/core/adapter';
import type { LockError, Runtime, TimerHandle } from '@locks/core/adapter';
import type { Connection } from '../connection/connection.ts';
import { RequestUnsentError } from '../connection/errors.ts';
import { disconnectedError, unansweredError } from '../connection/request-errors.ts';
import type { Answer } from '../wire/answer.ts';
import type { Request } from '../wire/request.ts';
import { startHeartbeat } from './heartbeat.ts';
import { Proof } from './proof.ts';
import { expiredError, overdueError } from './session-errors.ts';
import type { PreparingSession } from './session-options.ts';
import type { Session } from './session.ts';
import { Watches } from './watches.ts';
import type { Watching } from './watches.ts';

export interface OpenSessionParts {
  readonly runtime: Runtime;
  readonly heartbeat: Request<unknown>;
  /** There is more than one server. */
  readonly alternatives: boolean;
  /** Called once, before `lost` is aborted. */
  onLost(session: OpenSession, reason: LockError): void;
  /** A heartbeat was answered over a usable connection. */
  onBeat(): void;
}

/**
 * How often the deadline is checked, in ms: a timer does not count while the machine is suspended.
 */
const longestSleep = 1_000;

/** A session over successive connections: how long it lasts, and its watches. */
export class OpenSession implements Session {
  readonly id: bigint;
  readonly password: Buffer;
  readonly watches: Watches;
  readonly preparing: PreparingSession;
  readonly lost: AbortSignal;
  timeout: number;
  /** At least one connection was usable. */
  prepared = false;
  readonly #parts: OpenSessionParts;
  readonly #proof: Proof = new Proof();
  readonly #end: AbortController = new AbortController();
  #connection: Connection | undefined;
  #stopHeartbeat: (() => void) | undefined;
  #attached = false;
  #announced = false;
  #lastZxid = 0n;
  /** Why its last connection has ended. */
  #cause: Error | undefined;
  #timer: TimerHandle | undefined;

  /** @param connection The one that began the session, not attached yet. */
  constructor({ session, openedAt }: Connection, parts: OpenSessionParts) {
    this.id = session.id;
    this.password = session.password;
    this.timeout = session.timeout;
    this.#parts = parts;
    this.#proof.begun(openedAt, session.timeout);
    this.lost = this.#end.signal;
    setMaxListeners(0, this.lost);
    const send = <T>(request: Request<T>) => this.#sendNow(request);
    this.watches = new Watches(send);
    const { id, watches, lost } = this;
    this.preparing = {
      id,
      lost,
      timeout: this.timeout,
      send,
      watch: (path, fired) => watches.watch(path, fired),
      unwatch: (path, fired) => watches.unwatch(path, fired),
    };
  }

  get deadline(): number {
    return this.#proof.deadline;
  }

  get alive(): boolean {
    if (this.lost.aborted) return false;
    if (this.#parts.runtime.clock.exact() < this.#proof.deadline) return true;
    this.lose(overdueError(this.#connection === undefined ? this.#cause : undefined));
    return false;
  }

  get connected(): boolean {
    return this.#announced && this.#connection?.ended === false && this.alive;
  }

  /** The highest transaction that any connection has seen. */
  get lastZxid(): bigint {
    return this.#connection?.lastZxid ?? this.#lastZxid;
  }

  send<T>(request: Request<T>): Promise<Answer<T>> {
    return this.connected ? this.#sendNow(request) : Promise.reject(this.#disconnected(request.what));
  }

  watch(path: string, fired: () => void): Promise<Watching> {
    return this.connected
      ? this.watches.watch(path, fired)
      : Promise.reject(this.#disconnected(`a watch of ${JSON.stringify(path)}`));
  }

  unwatch(path: string, fired: () => void): void {
    this.watches.unwatch(path, fired);
  }

  /**
   * Attaches a new connection, and sets the watches again. Resolves when the server has accepted
   * them.
   */
  attach(connection: Connection): Promise<void> {
    const seen = this.lastZxid;
    const resumed = this.#attached;
    this.#attached = true;
    this.#connection = connection;
    this.timeout = connection.session.timeout;
    if (resumed) this.#proof.resumed(connection.openedAt, this.timeout);
    this.#arm();
    const restored = this.watches.restore((request) => this.#sendNow(request), seen);
    const { runtime, heartbeat: write, alternatives, onBeat } = this.#parts;
    // The server may still refuse a connection that is being prepared.
    const beaten = (): void => {
      if (this.#announced) onBeat();
    };
    const proof = this.#proof;
    this.#stopHeartbeat = startHeartbeat({ connection, write, resumed, alternatives, proof, runtime, beaten });
    return restored;
  }

  /** From now on requests can be sent. */
  announce(): void {
    this.#announced = true;
    this.prepared = true;
  }

  /** Its connection has ended. */
  detach(connection: Connection, cause: Error): void {
    if (this.#connection !== connection) return;
    this.#cause = cause;
    this.#lastZxid = connection.lastZxid;
    this.#connection = undefined;
    this.#announced = false;
    this.#stopHeartbeat?.();
  }

  /** Ends the session, once. The manager ends its connection. */
  lose(reason: LockError): void {
    if (this.lost.aborted) return;
    this.#stopHeartbeat?.();
    if (this.#timer !== undefined) this.#parts.runtime.clearTimer(this.#timer);
    this.#announced = false;
    // The caller may be in any asynchronous context.
    outsideContext(() => {
      this.#parts.onLost(this, reason);
      this.#end.abort(reason);
      this.watches.fireAll();
    });
  }

  /** A server reported that the session is over, or will be soon. */
  expire(cause: Error): void {
    this.lose(expiredError(cause));
  }

  #arm(): void {
    const { runtime } = this.#parts;
    if (this.#timer !== undefined) runtime.clearTimer(this.#timer);
    const rest = this.#proof.deadline - runtime.clock.exact();
    const look = (): void => {
      if (this.alive) this.#arm();
    };
    this.#timer = runtime.setTimer(look, Math.min(rest, longestSleep), false);
  }

  #disconnected(what: string): LockError {
    return disconnectedError(what, this.lost.aborted ? this.lost.reason : this.#cause);
  }

  #sendNow<T>(request: Request<T>): Promise<Answer<T>> {
    const connection = this.#connection;
    if (connection === undefined || connection.ended) return Promise.reject(this.#disconnected(request.what));
    return connection.send(request).then(undefined, (error: unknown) => {
      // A request that cannot be written was not sent.
      if (error instanceof RangeError) throw error;
      if (error instanceof RequestUnsentError) throw disconnectedError(request.what, error);
      throw unansweredError(request.what, error as Error);
    });
  }
}
