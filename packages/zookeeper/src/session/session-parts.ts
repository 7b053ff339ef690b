import type { ConnectionOptions } from 'node:tls';
import type { Runtime } from '@locks/core/adapter';
import type { Address } from '../connection/address.ts';
import type { Credentials } from '../connection/handshake.ts';
import type { Request } from '../wire/request.ts';
import type { Preparing } from './live-generation.ts';

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
