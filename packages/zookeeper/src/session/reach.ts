import type { Address } from '../connection/address.ts';
import { connect } from '../connection/connect.ts';
import type { ConnectionParts } from '../connection/connect.ts';
import type { Connection } from '../connection/connection.ts';
import { ConnectError, ConnectionClosedError, SessionExpiredError } from '../connection/errors.ts';
import { serverMode } from '../connection/server-mode.ts';
import type { ServerMode } from '../connection/server-mode.ts';

/** A server that no lock may be taken from. */
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
 * As `connect`, to a server that takes part in votes; the two questions are asked at once. Rejects with `UnusableServerError` too.
 * @param known That it does was found out before, and takes no time now.
 */
export async function reach(parts: ConnectionParts, known: boolean): Promise<Connection> {
  // One that is read-only now refuses the connection.
  if (known) return connect(parts);
  const asked = serverMode(parts.address, parts);
  let connection: Connection;
  try {
    connection = await connect(parts);
  } catch (error) {
    // A read-only server closes the connection without a word.
    if (!(error instanceof SessionExpiredError)) refuse(parts.address, await asked);
    throw error;
  }
  try {
    refuse(parts.address, await asked);
  } catch (error) {
    connection.destroy(new ConnectionClosedError((error as Error).message));
    throw error;
  }
  // Told while the answer to the other question was waited for, when nobody listened yet.
  if (connection.ended) throw new ConnectError(parts.address, 'the connection ended as soon as it was open');
  return connection;
}

function refuse(address: Address, mode: ServerMode): void {
  if (mode === 'observer' || mode === 'read-only') throw new UnusableServerError(address, mode);
}
