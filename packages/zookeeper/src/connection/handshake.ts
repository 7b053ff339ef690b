import { ProtocolError } from '../wire/protocol-error.ts';
import type { Reader } from '../wire/reader.ts';
import type { Writer } from '../wire/writer.ts';

/** A session that began on an earlier connection. */
export interface Resumed {
  readonly id: bigint;
  readonly password: Buffer;
}

/** Identifies the user to the access control of the nodes. */
export interface Credentials {
  /** `digest`, for example. */
  readonly scheme: string;
  /** `user:password` for `digest`. */
  readonly credentials: Buffer;
}

/** A server's answer to the connect request. */
export interface Accepted {
  readonly id: bigint;
  readonly password: Buffer;
  /** Negotiated, in ms; 0: the session does not exist. */
  readonly timeout: number;
  /** Isolated from its quorum. */
  readonly readOnly: boolean;
}

const noPassword = Buffer.alloc(16);
const authXid = -4;
const authOp = 100;

/**
 * Writes the connect request, and immediately after it the credentials. No request may precede
 * these.
 */
export function writeHandshake(
  writer: Writer,
  parts: {
    readonly lastZxid: bigint;
    readonly sessionTimeout: number;
    readonly resume?: Resumed | undefined;
    readonly auth: readonly Credentials[];
  },
): void {
  const frame = writer.beginFrame();
  writer.int(0);
  writer.long(parts.lastZxid);
  writer.int(parts.sessionTimeout);
  writer.long(parts.resume?.id ?? 0n);
  writer.bytes(parts.resume?.password ?? noPassword);
  // Not read-only: a server without a quorum then refuses this client.
  writer.bool(false);
  writer.endFrame(frame);
  for (const { scheme, credentials } of parts.auth) {
    const auth = writer.beginFrame();
    writer.int(authXid);
    writer.int(authOp);
    writer.int(0);
    writer.string(scheme);
    writer.bytes(credentials);
    writer.endFrame(auth);
  }
}

/**
 * The reply to the connect request (`accepted`), or to one of the credentials (an error code, 0 if
 * accepted).
 */
export type HandshakeReply = { readonly accepted: Accepted } | { readonly code: number };

/**
 * Reads one reply. They come in any order: a server with Netty may answer the credentials first.
 * @param begun The connect request was answered.
 */
export function readHandshakeReply(reader: Reader, begun: boolean): HandshakeReply {
  const first = reader.int();
  if (first === authXid) return { code: readAuthReply(reader) };
  if (begun) throw new ProtocolError(`a reply to request ${first} where one to the credentials is due`);
  return { accepted: readSession(reader, first) };
}

export function readAccepted(reader: Reader): Accepted {
  return readSession(reader, reader.int());
}

/** The id of a session, as in ZooKeeper's logs. */
export function printSession(id: bigint): string {
  return `0x${BigInt.asUintN(64, id).toString(16)}`;
}

function readSession(reader: Reader, version: number): Accepted {
  if (version !== 0) throw new ProtocolError(`protocol version ${version} in the answer to the connect request`);
  const timeout = reader.int();
  const id = reader.long();
  const password = reader.bytes();
  // Servers before 3.4 omit it.
  const readOnly = reader.left > 0 && reader.bool();
  reader.end();
  return { id, password, timeout, readOnly };
}

function readAuthReply(reader: Reader): number {
  reader.long();
  const code = reader.int();
  reader.end();
  return code;
}
