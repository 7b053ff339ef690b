import type { Runtime } from '@locks/core/adapter';
import type { Transport } from '../servers/transport.ts';
import type { Request } from '../wire/request.ts';
import type { Session } from './session.ts';

/** The members of a session that are usable during preparation. */
export type PreparingSession = Pick<Session, 'id' | 'timeout' | 'send' | 'watch' | 'unwatch' | 'lost'>;

export interface SessionOptions {
  /** Makes the connections. */
  readonly transport: Transport;
  readonly runtime: Runtime;
  /** Changes nothing, but the leader executes it like a write. */
  readonly heartbeat: Request<unknown>;
  /** For diagnostics. @default 'zookeeper' */
  readonly provider?: string | undefined;
  /** Time limit of `close` if no server answers, in ms. @default 2_000 */
  readonly closeWithin?: number | undefined;
  /**
   * Called for every new connection before it can be used. `first`: no connection of this session
   * was usable before. `LOCK_MISCONFIGURED` refuses all waiting calls. Any other rejection ends the
   * connection, and the next server is tried.
   */
  prepare(session: PreparingSession, first: boolean): Promise<void>;
}
