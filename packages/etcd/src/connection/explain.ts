import { connect } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { isLockError, isTlsRefusal, misconfigured, printHost, tlsReason } from '@locks/core/adapter';
import type { Host, LockError } from '@locks/core/adapter';
import { status } from '../wire/calls.ts';
import { source } from '../options/options.ts';
import { connectTo } from './member.ts';
import type { Secrets } from './secrets.ts';

/** How long a member that does not answer within `limit` ms is examined, in ms. */
export function probeTime(limit: number): number {
  // Two probes of at most a second each: a live member answers a handshake sooner.
  return Math.min(2_000, limit / 4);
}

/**
 * A better error for a first connection that failed, as gRPC does not report TLS mismatches.
 * `undefined`: none was found.
 */
export async function explain(
  error: unknown,
  [host]: readonly Host[],
  secrets: Secrets,
  limit: number,
): Promise<LockError | undefined> {
  const patience = probeTime(limit) / 2;
  if (host === undefined || !isLockError(error, 'LOCK_UNAVAILABLE')) return undefined;
  const tls = await secrets.tls().catch(() => undefined);
  const failure = await handshake(host, tls ?? { rejectUnauthorized: false }, patience);
  if (tls === undefined) {
    if (failure !== undefined) return undefined;
    const why = `${printHost(host)} expects TLS; write etcds://, or set option "tls"`;
    return misconfigured(source.where, why, { cause: error });
  }
  if (failure !== undefined && (await answersPlainly(host, patience))) {
    const why = `${printHost(host)} does not answer with TLS; write etcd://, or leave option "tls" out`;
    return misconfigured(source.where, why, { cause: failure });
  }
  if (!isTlsRefusal(failure)) return undefined;
  const why = `the TLS connection to ${printHost(host)} was refused: ${tlsReason(failure)}; check option "tls"`;
  return misconfigured(source.where, why, { cause: failure });
}

async function answersPlainly(host: Host, patience: number): Promise<boolean> {
  const member = connectTo(host, undefined);
  const call = member.send(status, {}, undefined);
  const timer = setTimeout(() => call.cancel(), patience);
  try {
    await call.answer;
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    member.close();
  }
}

/** Why a handshake fails. `undefined`: it succeeds. */
function handshake({ host, port }: Host, tls: ConnectionOptions, patience: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    try {
      const socket = connect({ ...tls, host, port, ALPNProtocols: ['h2'], timeout: patience });
      const end = (failure?: Error): void => {
        socket.destroy();
        resolve(failure);
      };
      // A server checks the certificate of the client last, and then sends.
      socket.once('data', () => end());
      socket.once('error', end);
      socket.once('timeout', () => end(new Error('no answer')));
      socket.once('close', () => end(new Error('the connection was closed')));
    } catch (error) {
      resolve(error instanceof Error ? error : new Error(String(error)));
    }
  });
}
