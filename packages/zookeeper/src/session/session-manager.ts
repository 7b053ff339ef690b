import type { Deadline, LockError } from '@locks/core/adapter';
import { createDeadline, longestTrusted } from '@locks/core/adapter';
import type { Connection } from '../connection/connection.ts';
import { ConnectionClosedError, ConnectionLostError, SessionExpiredError } from '../connection/errors.ts';
import { ConnectLoop } from '../servers/connect-loop.ts';
import { OpenSession } from './open-session.ts';
import type { Transport } from '../servers/transport.ts';
import { sessionReports } from './session-channel.ts';
import type { SessionReports, SessionState } from './session-channel.ts';
import { closedError, noSessionError, unusedError } from './session-errors.ts';
import type { SessionOptions } from './session-options.ts';
import { SessionWaiters } from './session-waiters.ts';
import type { Session } from './session.ts';

/**
 * The sessions of one provider, one after another, each over one connection at a time. The first
 * call of `ready` begins a session, which is kept until it is lost, closed or refused. A lost
 * session is ended at the servers, and the next one begins with the next call.
 */
export class SessionManager {
  readonly #options: SessionOptions;
  readonly #transport: Transport;
  readonly #waiters: SessionWaiters;
  /** Of preparations. */
  readonly #deadline: Deadline;
  readonly #report: SessionReports;
  readonly #loop: ConnectLoop;
  #session: OpenSession | undefined;
  #connection: Connection | undefined;
  #closing = false;
  #closed: Promise<void> | undefined;
  #failure: unknown;
  #begun = false;

  constructor(options: SessionOptions) {
    const { transport, runtime } = options;
    this.#options = options;
    this.#transport = transport;
    this.#waiters = new SessionWaiters(runtime);
    this.#deadline = createDeadline(runtime, transport.sessionTimeout, `ZooKeeper at ${transport.servers}`);
    this.#report = sessionReports(options.provider ?? 'zookeeper');
    this.#loop = new ConnectLoop({
      runtime,
      rotation: transport.rotation,
      wanted: () => this.#wanted(),
      attempt: (signal) => this.#tryNext(signal),
      failed: (error, aborted) => this.#failed(error, aborted),
    });
  }

  /** The session that is alive, connected or not. `undefined` before the first and after a loss. */
  get current(): Session | undefined {
    const session = this.#alive();
    return session?.prepared === true ? session : undefined;
  }

  /**
   * The connection was quiet for so long that it may have ended unnoticed: this process may have
   * been paused.
   */
  get mayBeOver(): boolean {
    const heardAt = this.#connection?.lastHeardAt;
    return heardAt !== undefined && this.#options.runtime.clock.now() - heardAt >= longestTrusted;
  }

  /** Why there is no connection at present, if that is known. */
  get failure(): unknown {
    return this.#failure;
  }

  get state(): SessionState {
    if (this.#closing) return 'closed';
    const session = this.#alive();
    if (session?.connected === true) return 'connected';
    if (session?.prepared === true) return 'suspended';
    if (this.#loop.running) return 'connecting';
    return this.#begun ? 'lost' : 'idle';
  }

  /**
   * The usable session. Waits for a connection if there is none.
   * @throws `LOCK_UNAVAILABLE` after `within` ms. `LOCK_MISCONFIGURED` for refused credentials and
   * unusable servers. `LOCK_CLOSED`.
   */
  ready(within: number): Promise<Session> {
    if (this.#closing) return Promise.reject(closedError());
    const session = this.#alive();
    if (session?.connected === true) return Promise.resolve(session);
    const refusal = this.#transport.refusals.latest;
    if (refusal !== undefined) return Promise.reject(refusal);
    const { servers } = this.#transport;
    const next = this.#waiters.add(within, () => noSessionError(servers, within, this.#failure));
    this.#loop.start();
    return next;
  }

  /**
   * Ends the session at the server, which removes its nodes immediately. If no server answers, the
   * nodes stay until the session times out. Idempotent.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing = true;
    this.#waiters.rejectAll(closedError());
    const over = this.#loop.close();
    this.#session?.lose(closedError());
    await this.#transport.ending.finish(this.#options.closeWithin ?? 2_000);
    await over;
    this.#deadline.stop();
    this.#report('closed', undefined, undefined);
  }

  #alive(): OpenSession | undefined {
    return this.#session?.alive === true ? this.#session : undefined;
  }

  #wanted(): boolean {
    const session = this.#alive();
    if (session === undefined) return !this.#waiters.empty;
    if (session.prepared || !this.#waiters.empty) return !session.connected;
    // No call has used it, and none waits for it.
    session.lose(unusedError());
    return false;
  }

  async #tryNext(signal: AbortSignal): Promise<void> {
    const resumed = this.#alive();
    if (resumed === undefined) this.#report('connecting', undefined, undefined);
    const background = this.#waiters.empty;
    const { connection, transfer } = await this.#transport.connect({ resumed, background, signal });
    const session = resumed ?? this.#begin(connection);
    if (this.#closing || !session.alive) {
      await connection.end(session.timeout / 9);
      return;
    }
    transfer(session, (cause) => this.#disconnected(session, connection, cause));
    await this.#prepare(session, connection);
  }

  #begin(connection: Connection): OpenSession {
    const { runtime, heartbeat, transport } = this.#options;
    return new OpenSession(connection, {
      runtime,
      heartbeat,
      alternatives: transport.alternatives,
      onBeat: () => this.#transport.rotation.worked(),
      onLost: (session, reason) => this.#lost(session, reason),
    });
  }

  /**
   * Prepares the connection for calls, or ends it if that takes longer than a third of the session
   * timeout.
   */
  async #prepare(session: OpenSession, connection: Connection): Promise<void> {
    this.#begun = true;
    this.#session = session;
    this.#connection = connection;
    const prepare = async (): Promise<void> => {
      await session.attach(connection);
      await this.#options.prepare(session.preparing, !session.prepared);
    };
    try {
      await this.#deadline.race(prepare(), 'what a session begins with', session.timeout / 3);
    } catch (error) {
      connection.destroy(error as Error);
      throw error;
    }
    if (connection.ended || !session.alive) return;
    session.announce();
    this.#failure = undefined;
    this.#report('connected', session, undefined);
    this.#waiters.resolveAll(session);
  }

  #disconnected(session: OpenSession, connection: Connection, cause: Error): void {
    const suspended = session.prepared;
    // These do not name the server.
    const unnamed = cause instanceof ConnectionClosedError || 'syscall' in cause;
    const why = unnamed ? new ConnectionLostError(connection.address, cause) : cause;
    session.detach(connection, why);
    if (this.#connection === connection) this.#connection = undefined;
    if (!session.alive) return;
    // The end of a useful connection counts as the first failure.
    this.#transport.rotation.failed(cause);
    this.#failure = why;
    if (cause instanceof SessionExpiredError) session.expire(cause);
    else if (suspended) this.#report('suspended', session, why);
    this.#refuse(cause);
    this.#loop.start();
  }

  #failed(error: unknown, aborted: boolean): void {
    if (!aborted) this.#failure = error;
    if (this.#connection === undefined) this.#transport.rotation.failed(error);
    if (error instanceof SessionExpiredError) this.#session?.expire(error);
    this.#refuse(error);
  }

  /** If a retry would not fix `error`, those who wait get it. */
  #refuse(error: unknown): void {
    const refusal = this.#transport.refusals.read(error);
    if (refusal === undefined) return;
    this.#waiters.rejectAll(refusal);
    // No call could use it yet.
    if (this.#session?.prepared === false) this.#session.lose(refusal);
  }

  #lost(session: OpenSession, reason: LockError): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#loop.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    if (!(reason.cause instanceof SessionExpiredError)) this.#transport.ending.add(session, connection);
    this.#report('lost', session, reason);
  }
}
