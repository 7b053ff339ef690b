import { createDeadline } from '@locks/core/adapter';
import type { Deadline, LockError } from '@locks/core/adapter';
import type { Connection } from '../connection/connection.ts';
import { ConnectionClosedError, SessionExpiredError } from '../connection/errors.ts';
import { ConnectLoop } from './connect-loop.ts';
import { Farewells } from './farewells.ts';
import type { Connecting } from './farewells.ts';
import type { WatchEvent } from '../wire/records.ts';
import type { Generation, Sessions } from './generation.ts';
import { LiveGeneration } from './live-generation.ts';
import { reach } from './reach.ts';
import { Refusals } from './refusals.ts';
import { Rotation } from './rotation.ts';
import { SessionReports } from './session-channel.ts';
import type { SessionState } from './session-channel.ts';
import { closedError, expiredError, shortSessionError, unusedError } from './session-errors.ts';
import type { SessionParts } from './session-parts.ts';
import { WaitingRoom } from './waiting-room.ts';

/** In ms: a session that is shorter ends before anything can be done in it. */
const leastTimeout = 50;

/**
 * The session of this process with ZooKeeper, over one connection at a time. Begun by the first call of `ready`, kept until it is lost,
 * closed or refused. One that is lost is ended at the servers, and the next begins when it is asked for.
 */
export class Session implements Sessions {
  readonly #parts: SessionParts;
  readonly #connecting: Connecting;
  readonly #rotation: Rotation;
  readonly #waiting: WaitingRoom;
  readonly #refusals: Refusals;
  readonly #farewells: Farewells;
  readonly #deadline: Deadline;
  readonly #reports: SessionReports;
  readonly #loop: ConnectLoop;
  #generation: LiveGeneration | undefined;
  #connection: Connection | undefined;
  #closing = false;
  #closed: Promise<void> | undefined;
  #failure: unknown;
  #begun = false;

  constructor(parts: SessionParts) {
    const { addresses, runtime, tls, auth, sessionTimeout } = parts;
    this.#parts = parts;
    this.#connecting = { runtime, tls, auth, sessionTimeout };
    this.#rotation = new Rotation(addresses, runtime);
    this.#waiting = new WaitingRoom(runtime);
    this.#refusals = new Refusals(addresses, runtime);
    this.#deadline = createDeadline(runtime, sessionTimeout, 'ZooKeeper');
    this.#reports = new SessionReports(parts.provider ?? 'zookeeper');
    this.#loop = new ConnectLoop({
      runtime,
      rotation: this.#rotation,
      wanted: () => this.#wanted(),
      attempt: (signal) => this.#tryNext(signal),
      failed: (error, aborted) => this.#failed(error, aborted),
    });
    this.#farewells = new Farewells(this.#connecting, new Rotation(addresses, runtime));
  }

  get current(): Generation | undefined {
    const generation = this.#alive();
    return generation?.prepared === true ? generation : undefined;
  }

  get failure(): unknown {
    return this.#failure;
  }

  get state(): SessionState {
    if (this.#closing) return 'closed';
    const generation = this.#alive();
    if (generation?.connected === true) return 'connected';
    if (generation?.prepared === true) return 'suspended';
    if (this.#loop.running) return 'connecting';
    return this.#begun ? 'lost' : 'idle';
  }

  ready(within: number): Promise<Generation> {
    if (this.#closing) return Promise.reject(closedError());
    const generation = this.#alive();
    if (generation?.connected === true) return Promise.resolve(generation);
    const refusal = this.#refusals.latest;
    if (refusal !== undefined) return Promise.reject(refusal);
    const admission = this.#waiting.enter(within, () => this.#failure);
    this.#loop.start();
    return admission;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing = true;
    this.#waiting.refuse(closedError());
    const over = this.#loop.close();
    this.#generation?.lose(closedError());
    await this.#farewells.finish(this.#parts.closeWithin ?? 2_000);
    await over;
    this.#deadline.stop();
    this.#reports.tell('closed', undefined, undefined);
  }

  #alive(): LiveGeneration | undefined {
    return this.#generation?.alive === true ? this.#generation : undefined;
  }

  #wanted(): boolean {
    const generation = this.#alive();
    if (generation === undefined) return !this.#waiting.empty;
    if (generation.prepared || !this.#waiting.empty) return !generation.connected;
    // One that nobody could use yet is not kept for nobody.
    generation.lose(unusedError());
    return false;
  }

  async #tryNext(signal: AbortSignal): Promise<void> {
    const resumed = this.#alive();
    const timeout = resumed?.timeout ?? this.#connecting.sessionTimeout;
    if (resumed === undefined) this.#reports.tell('connecting', undefined, undefined);
    let generation = resumed;
    const link: { ended(cause: Error): void } = { ended() {} };
    const address = this.#rotation.next();
    const parts = {
      ...this.#connecting,
      address,
      resume: resumed,
      lastZxid: resumed?.lastZxid ?? 0n,
      within: this.#rotation.patience(timeout),
      background: this.#waiting.empty,
      signal,
      onEvent: (event: WatchEvent) => generation?.watches.fire(event),
      onEnd: (cause: Error) => link.ended(cause),
    };
    const connection = await reach(parts, resumed !== undefined && this.#refusals.knows(address));
    this.#refusals.accepted(address);
    if (connection.session.timeout < leastTimeout) {
      const short = shortSessionError(address, connection.session.timeout);
      // The servers count by the new timeout already. What is held must be told lost before its nodes go.
      resumed?.lose(expiredError(short));
      await connection.end(leastTimeout);
      throw short;
    }
    generation ??= this.#begin(connection);
    if (connection.ended) throw new ConnectionClosedError('the server closed the connection at once');
    if (this.#closing || !generation.alive) {
      await connection.end(timeout / 9);
      return;
    }
    const attached = generation;
    link.ended = (cause) => this.#disconnected(attached, connection, cause);
    await this.#prepare(attached, connection);
  }

  #begin(connection: Connection): LiveGeneration {
    const { runtime, heartbeat, addresses } = this.#parts;
    return new LiveGeneration(connection, {
      runtime,
      heartbeat,
      alternatives: addresses.length > 1,
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
    this.#reports.tell('connected', generation, undefined);
    this.#waiting.admit(generation);
  }

  #disconnected(generation: LiveGeneration, connection: Connection, cause: Error): void {
    const suspended = generation.prepared;
    generation.detach(connection, cause);
    if (this.#connection === connection) this.#connection = undefined;
    if (!generation.alive) return;
    // Also that of a connection that was of use for a while: it is then the first.
    this.#rotation.failed();
    this.#failure = cause;
    if (cause instanceof SessionExpiredError) generation.lose(expiredError(cause));
    else if (suspended) this.#reports.tell('suspended', generation, cause);
    this.#loop.start();
  }

  #failed(error: unknown, aborted: boolean): void {
    if (!aborted) this.#failure = error;
    if (this.#connection === undefined) this.#rotation.failed();
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
    this.#loop.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    if (!(reason.cause instanceof SessionExpiredError)) this.#farewells.add(generation, connection);
    this.#reports.tell('lost', generation, reason);
  }
}
