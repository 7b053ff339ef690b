import type { Connection } from '../connection/connection.ts';
import type { ConnectAttempt, NewConnection } from './connector.ts';
import type { Refusals } from './refusals.ts';
import type { Rotation } from './rotation.ts';
import type { SeparateSender } from './separate-connection.ts';

/** A session that this process no longer uses. */
export interface AbandonedSession {
  readonly id: bigint;
  readonly password: Buffer;
}

/** Ends sessions at the servers, so that their nodes go before they time out. */
export interface SessionEnding {
  /** @param connection The last one of the session, if it is open. */
  add(session: AbandonedSession, connection: Connection | undefined): void;
  /** Continues for at most `within` ms, and not afterwards. */
  finish(within: number): Promise<void>;
}

/**
 * Creates connections for sessions: sockets of this package, or the client of another library. It
 * answers requests, and reports when a connection was opened. How long a session lasts is decided
 * above it, by confirmed writes.
 */
export interface Transport {
  /** Where the servers are, for messages. */
  readonly servers: string;
  /** There is more than one server. */
  readonly alternatives: boolean;
  /** Requested, in ms. The servers may grant another one, which then counts. */
  readonly sessionTimeout: number;
  /** When the next attempt is made. */
  readonly rotation: Rotation;
  /** Failures that a retry would not fix. */
  readonly refusals: Refusals;
  readonly ending: SessionEnding;
  /** One attempt to begin or resume a session. */
  connect(attempt: ConnectAttempt): Promise<NewConnection>;
  /**
   * The result of `read`, over a separate connection if the transport supports it.
   * @param signal Ends it.
   * @throws `LOCK_UNAVAILABLE`.
   */
  separately<T>(signal: AbortSignal, read: (sender: SeparateSender) => Promise<T>): Promise<T>;
}
