import type { ConnectionOptions } from 'node:tls';
import { LockError, createDeadline } from '@locks/core/adapter';
import type { Deadline, Runtime } from '@locks/core/adapter';
import type { Address } from '../connection/address.ts';
import type { Connection } from '../connection/connection.ts';
import { SessionExpiredError } from '../connection/errors.ts';
import type { Credentials } from '../connection/handshake.ts';
import type { Request } from '../wire/request.ts';
import { Farewells } from './farewells.ts';
import type { Generation, Sessions } from './generation.ts';
import { LiveGeneration } from './live-generation.ts';
import type { Preparing } from './live-generation.ts';
import { pause } from './pause.ts';
import { reach } from './reach.ts';
import { Refusals } from './refusals.ts';
import { Rotation } from './rotation.ts';
import { sessionChannel } from './session-channel.ts';
import type { SessionState } from './session-channel.ts';
import { WaitingRoom } from './waiting-room.ts';

/** What a session is made of. */
export interface SessionParts {
  readonly addresses: readonly Address[];
  readonly tls?: ConnectionOptions | undefined;
  readonly auth: readonly Credentials[];
  /** Asked for, in ms; the servers may grant another one, which then counts. */
  readonly sessionTimeout: number;
  readonly runtime: Runtime;
  /** A request that changes nothing, but is passed on to the leader and executed by it like a write. */
  readonly heartbeat: Request<unknown>;
  /** For diagnostics. @default 'zookeeper' */
  readonly provider?: string | undefined;
  /** How long `close` may take where no server answers, in ms. @default 2_000 */
  readonly closeWithin?: number | undefined;
  /**
   * Done over every new connection before it can be used; `first`: over none of this session yet. `LOCK_MISCONFIGURED` refuses
   * everybody who waits; any other rejection ends the connection, and the next is tried.
   */
  prepare(generation: Preparing, first: boolean): Promise<void>;
}

/**
 * The session of this process with ZooKeeper, over one connection at a time. Begun by the first call of `ready`, kept until it is lost,
 * closed or refused. One that is lost is ended at the servers, and the next begins when it is asked for.
 */
export class Session implements Sessions {
  readonly #parts: SessionParts;
  readonly #rotation: Rotation;
  readonly #waiting: WaitingRoom;
  readonly #refusals: Refusals;
  readonly #farewells: Farewells;
  readonly #deadline: Deadline;
  readonly #closing: AbortController = new AbortController();
  #generation: LiveGeneration | undefined;
  #connection: Connection | undefined;
  #attempt: AbortController = new AbortController();
  #work: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #failure: unknown;
  #begun = false;
  #told: SessionState = 'idle';

  constructor(parts: SessionParts) {
    const { addresses, runtime, tls, auth, sessionTimeout } = parts;
    this.#parts = parts;
    this.#rotation = new Rotation(addresses, runtime);
    this.#waiting = new WaitingRoom(runtime);
    this.#refusals = new Refusals(addresses, runtime);
    this.#deadline = createDeadline(runtime, sessionTimeout, 'ZooKeeper');
    const rotation = new Rotation(addresses, runtime);
    this.#farewells = new Farewells({ runtime, rotation, connecting: { tls, auth, sessionTimeout } });
  }

  get current(): Generation | undefined {
    return this.#alive();
  }

  get state(): SessionState {
    if (this.#closed !== undefined) return 'closed';
    const generation = this.#alive();
    if (generation?.connected === true) return 'connected';
    if (generation?.prepared === true) return 'suspended';
    if (this.#work !== undefined) return 'connecting';
    return this.#begun ? 'lost' : 'idle';
  }

  ready(within: number): Promise<Generation> {
    if (this.#closed !== undefined) return Promise.reject(closedError());
    const generation = this.#alive();
    if (generation?.connected === true) return Promise.resolve(generation);
    const refusal = this.#refusals.latest;
    if (refusal !== undefined) return Promise.reject(refusal);
    const admission = this.#waiting.enter(within, () => this.#failure);
    this.#start();
    return admission;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#waiting.refuse(closedError());
    this.#closing.abort();
    this.#attempt.abort();
    this.#generation?.lose(closedError());
    await this.#farewells.finish(this.#parts.closeWithin ?? 2_000);
    await this.#work;
    this.#deadline.stop();
    this.#publish('closed', undefined);
  }

  #alive(): LiveGeneration | undefined {
    return this.#generation?.alive === true ? this.#generation : undefined;
  }

  /** Connects, one server after another, while somebody waits or there is a session to save. */
  #start(): void {
    if (this.#work === undefined && this.#wanted()) this.#work = this.#connect();
  }

  async #connect(): Promise<void> {
    while (this.#wanted()) {
      this.#attempt = new AbortController();
      const timeout = this.#generation?.timeout ?? this.#parts.sessionTimeout;
      try {
        await this.#tryNext(this.#alive(), timeout);
      } catch (error) {
        this.#failed(error);
        await pause(this.#parts.runtime, this.#rotation.failed(timeout), this.#closing.signal);
      }
    }
    this.#work = undefined;
  }

  #wanted(): boolean {
    if (this.#closed !== undefined) return false;
    const generation = this.#alive();
    return generation === undefined ? !this.#waiting.empty : !generation.connected;
  }

  async #tryNext(resumed: LiveGeneration | undefined, timeout: number): Promise<void> {
    const { runtime, tls, auth, sessionTimeout } = this.#parts;
    if (resumed === undefined) this.#publish('connecting', undefined);
    let generation = resumed;
    const link: { ended(cause: Error): void } = { ended() {} };
    const connection = await reach({
      address: this.#rotation.next(),
      tls,
      auth,
      sessionTimeout,
      runtime,
      resume: resumed,
      lastZxid: resumed?.lastZxid ?? 0n,
      within: this.#rotation.patience(timeout),
      background: this.#waiting.empty,
      signal: this.#attempt.signal,
      onEvent: (event) => generation?.watches.fire(event),
      onEnd: (cause) => link.ended(cause),
    });
    this.#refusals.accepted(connection.address);
    generation ??= this.#begin(connection);
    if (this.#closed !== undefined || !generation.alive) {
      await connection.end(timeout / 9);
      return;
    }
    const attached = generation;
    link.ended = (cause) => this.#disconnected(attached, connection, cause);
    await this.#prepare(attached, connection);
  }

  #begin(connection: Connection): LiveGeneration {
    return new LiveGeneration(connection, {
      runtime: this.#parts.runtime,
      heartbeat: this.#parts.heartbeat,
      onBeat: () => this.#rotation.worked(),
      onLost: (generation, reason) => this.#lost(generation, reason),
    });
  }

  /** Makes the connection one that can be used, or ends it. */
  async #prepare(generation: LiveGeneration, connection: Connection): Promise<void> {
    this.#begun = true;
    this.#generation = generation;
    this.#connection = connection;
    const prepare = async (): Promise<void> => {
      await generation.attach(connection);
      await this.#parts.prepare(generation.preparing, !generation.prepared);
    };
    try {
      await this.#deadline.race(prepare(), 'what a session begins with', generation.timeout / 3);
    } catch (error) {
      connection.destroy(error as Error);
      throw error;
    }
    if (connection.ended || !generation.alive) return;
    generation.announce();
    this.#failure = undefined;
    this.#publish('connected', undefined);
    this.#waiting.admit(generation);
  }

  #disconnected(generation: LiveGeneration, connection: Connection, cause: Error): void {
    const suspended = generation.prepared;
    generation.detach(connection);
    if (this.#connection === connection) this.#connection = undefined;
    if (!generation.alive) return;
    this.#failure = cause;
    if (cause instanceof SessionExpiredError) generation.lose(expiredError(cause));
    else if (suspended) this.#publish('suspended', cause);
    this.#start();
  }

  #failed(error: unknown): void {
    if (!this.#attempt.signal.aborted) this.#failure = error;
    if (error instanceof SessionExpiredError) this.#generation?.lose(expiredError(error));
    const refusal = this.#refusals.read(error);
    if (refusal === undefined) return;
    this.#waiting.refuse(refusal);
    // A session that nobody could use yet is not kept.
    if (this.#generation?.prepared === false) this.#generation.lose(refusal);
  }

  #lost(generation: LiveGeneration, reason: LockError): void {
    if (this.#generation !== generation) return;
    this.#generation = undefined;
    this.#attempt.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    if (!(reason.cause instanceof SessionExpiredError)) this.#farewells.add(generation, connection);
    this.#publish('lost', reason);
  }

  #publish(state: SessionState, reason: unknown): void {
    if (state === this.#told) return;
    this.#told = state;
    if (!sessionChannel.hasSubscribers) return;
    const session = this.#generation === undefined ? undefined : printSession(this.#generation);
    sessionChannel.publish({ provider: this.#parts.provider ?? 'zookeeper', state, session, reason });
  }
}

/** As the logs of ZooKeeper write it. */
function printSession({ id }: Generation): string {
  return `0x${BigInt.asUintN(64, id).toString(16)}`;
}

function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'The session with ZooKeeper was closed.');
}

function expiredError(cause: SessionExpiredError): LockError {
  return new LockError('LOCK_LOST', `The session with ZooKeeper is lost: ${cause.message}.`, { cause });
}
