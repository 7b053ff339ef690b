import type { Address } from '../connection/address.ts';
import type { ConnectionParts } from '../connection/connect.ts';
import { ConnectError, ConnectionClosedError } from '../connection/errors.ts';
import { serverMode } from './server-mode.ts';
import { ProtocolError } from '../wire/protocol-error.ts';

/** The port speaks TLS and the client does not, or the reverse. */
export class TlsMismatchError extends Error {
  override readonly name = 'TlsMismatchError';
  readonly address: Address;
  /** What the user can do. */
  readonly advice: string;

  constructor(address: Address, speaksTls: boolean) {
    super(speaksTls ? 'this port speaks TLS only' : 'this port does not speak TLS');
    this.address = address;
    this.advice = speaksTls ? 'set option "tls"' : 'name the secure port of the servers, or leave out option "tls"';
  }
}

/**
 * Throws `TlsMismatchError` if `error` came from a server that answers only with, or only without,
 * TLS. Such a server closes the connection, but servers also do so while they start or have no
 * quorum. So the server must answer the other way, and after that still not this way.
 */
export async function checkTls(error: unknown, parts: ConnectionParts): Promise<void> {
  if (!isEndWithoutAnswer(error)) return;
  const { address, tls } = parts;
  const speaksTls = tls === undefined;
  const other = speaksTls ? { rejectUnauthorized: false } : undefined;
  if ((await serverMode({ ...parts, tls: other })) === 'unknown') return;
  if ((await serverMode(parts)) === 'unknown') throw new TlsMismatchError(address, speaksTls);
}

function isEndWithoutAnswer(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  const { cause } = error;
  if (cause instanceof ConnectionClosedError || cause instanceof ProtocolError) return true;
  return cause instanceof Error && (cause as { readonly code?: unknown }).code === 'ECONNRESET';
}
