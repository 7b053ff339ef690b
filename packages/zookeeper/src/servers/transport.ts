import type { Connection } from '../connection/connection.ts';
import type { ConnectAttempt, NewConnection } from './connector.ts';
import type { Refusals } from './refusals.ts';
import type { Rotation } from './rotation.ts';
import type { SeparateSender } from './separate-connection.ts';

/** A session that this process does not rely on any more. */
export interface AbandonedSession {
  readonly id: bigint;
  readonly password: Buffer;
}

/** Ends sessions at the servers, so that their nodes go before they time out. */
export interface SessionEnding {
  /** @param connection The last one of the session, if it is open. */
  add(session: AbandonedSession, connection: Connection | undefined): void;
  /** Goes on for at most `within` ms. Nothing of it runs afterwards. */
  finish(within: number): Promise<void>;
}

/**
 * What makes connections for sessions: sockets of this package, or the client of another library.
 * It answers requests, and says when a connection was opened. Until when a session lasts is decided
 * above it, by confirmed writes.
 */
export interface Transport {
  /** Where the servers are, for messages. */
  readonly servers: string;
  /** There is more than one server. */
  readonly alternatives: boolean;
  /** Asked for, in ms. The servers may grant another one, which then counts. */
  readonly sessionTimeout: number;
  /** When the next attempt is made. */
  readonly rotation: Rotation;
  /** Failures that another attempt would not mend. */
  readonly refusals: Refusals;
  readonly ending: SessionEnding;
  /** One attempt to begin a session, or to go on with one. */
  connect(attempt: ConnectAttempt): Promise<NewConnection>;
  /**
   * The result of `read`, over a connection for nothing else where the transport can make one.
   * @param signal Ends it.
   * @throws `LOCK_UNAVAILABLE`.
   */
  separately<T>(signal: AbortSignal, read: (sender: SeparateSender) => Promise<T>): Promise<T>;
}
