import type { Address } from '../connection/address.ts';
import { connect } from '../connection/connect.ts';
import type { ConnectionParts } from '../connection/connect.ts';
import type { Connection } from '../connection/connection.ts';
import { ConnectError, ConnectionClosedError, SessionExpiredError } from '../connection/errors.ts';
import { serverMode } from './server-mode.ts';
import type { ServerMode } from './server-mode.ts';
import { checkTls } from './tls-mismatch.ts';

/** This server must not grant locks. */
export class UnusableServerError extends Error {
  override readonly name = 'UnusableServerError';
  readonly address: Address;
  readonly mode: ServerMode;

  constructor(address: Address, mode: ServerMode) {
    super(`the server is ${mode === 'observer' ? 'an observer' : 'read-only'}`);
    this.address = address;
    this.mode = mode;
  }
}

/**
 * As `connect`, to a voting server. Asks for the mode and connects simultaneously. Rejects with
 * `UnusableServerError` and `TlsMismatchError`, too.
 * @param known The server is known to vote, and is not asked again.
 */
export async function connectToVotingServer(parts: ConnectionParts, known: boolean): Promise<Connection> {
  // A server that has become read-only refuses the connection.
  if (known) return connect(parts);
  const asked = serverMode(parts);
  let connection: Connection;
  try {
    connection = await connect(parts);
  } catch (error) {
    // A read-only server closes the connection without an error.
    if (!(error instanceof SessionExpiredError)) refuse(parts.address, await asked);
    if ((await asked) === 'unknown') await checkTls(error, parts);
    throw error;
  }
  try {
    refuse(parts.address, await asked);
  } catch (error) {
    connection.destroy(new ConnectionClosedError((error as Error).message));
    throw error;
  }
  // It may have ended during the wait for the mode, before the caller could listen.
  if (connection.ended) throw new ConnectError(parts.address, 'the connection ended as soon as it was open');
  return connection;
}

function refuse(address: Address, mode: ServerMode): void {
  if (mode === 'observer' || mode === 'read-only') throw new UnusableServerError(address, mode);
}
