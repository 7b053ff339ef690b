import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isTlsRefusal, misconfigured } from '@locks/core/adapter';
import type { LockError } from '@locks/core/adapter';
import { redisSource } from '../options/options.ts';
import { toLockError } from '../wire/replies.ts';

/** A server that a client could not connect to. */
export interface RefusingServer {
  readonly host: string;
  readonly port: number;
  /** Options of TLS, if it is used. */
  readonly tls: object | undefined;
  /** What follows `redis` or `rediss` in the scheme. */
  readonly suffix: '' | '+sentinel' | '+cluster';
  /**
   * In ms, for each of at most two probes: a server answers a `PING` or the first message of TLS
   * immediately.
   */
  readonly patience: number;
}

/**
 * Why the client could not connect, if its error does not say so. A server without TLS does not
 * answer a TLS handshake. A server with TLS closes the connection of a client without TLS, or
 * without the certificate that it requires. `undefined`: unknown.
 */
export async function otherProtocol(
  server: RefusingServer,
  { code, cause }: LockError,
): Promise<LockError | undefined> {
  // Redis has answered with a refusal.
  if (code === 'LOCK_MISCONFIGURED' && !isTlsRefusal(cause)) return undefined;
  const { host, port, tls, suffix } = server;
  const name = `${host}:${port}`;
  if (tls !== undefined && (await speaksPlainly(server))) {
    return refusal(
      `the server ${name} has no TLS; write redis${suffix}:// without option "tls", or use its port for TLS`,
      cause,
    );
  }
  if (tls !== undefined && !isTlsRefusal(cause)) {
    const alert = await alertOf(server, tls);
    return isTlsRefusal(alert) ? toLockError(alert, { what: 'the connection' }) : undefined;
  }
  if (tls === undefined && (await speaksTls(server))) {
    return refusal(`the server ${name} wants TLS; write rediss${suffix}://`, cause);
  }
  // The parsers of ioredis 6 and 5 report this for bytes that are no reply.
  if (cause instanceof Error && /^(?:Unknown RESP type|Protocol error, got)/.test(cause.message)) {
    return refusal(`what answers at ${name} is not Redis; check host and port`, cause);
  }
  return undefined;
}

function refusal(why: string, cause: unknown): LockError {
  return misconfigured(redisSource.where, why, { cause });
}

async function speaksPlainly({ host, port, patience }: RefusingServer): Promise<boolean> {
  const answer = await ask<boolean>(patience, (found) => {
    const socket = connect({ host, port }, () => socket.write('PING\r\n'));
    // PONG, or a refusal, for example without credentials.
    return socket.once('data', (data) => found(/^[+-]/.test(data.toString('latin1'))));
  });
  return answer ?? false;
}

/** Its certificate does not matter: nothing is sent. */
async function speaksTls({ host, port, patience }: RefusingServer): Promise<boolean> {
  const answer = await ask<boolean>(patience, (found) =>
    connectTls({ host, port, rejectUnauthorized: false }, () => found(true)),
  );
  return answer ?? false;
}

/** The server's last message. A client that writes at the same time may lose it. */
async function alertOf({ host, port, patience }: RefusingServer, tls: object): Promise<unknown> {
  return await ask(patience, (found) => connectTls({ ...tls, host, port }).once('error', found));
}

/** What `open` finds; `undefined` if the connection ends before, or stays silent. */
function ask<Answer>(patience: number, open: (found: (answer: Answer) => void) => Socket): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const socket = open((answer) => {
      resolve(answer);
      socket.destroy();
    });
    socket.setTimeout(patience, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => resolve(undefined));
  });
}
