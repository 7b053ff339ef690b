import type { LockError } from '@locks/core/adapter';
import type { Address } from '../connection/address.ts';
import { connect } from '../connection/connect.ts';
import type { Connection } from '../connection/connection.ts';
import { unansweredError } from '../connection/request-errors.ts';
import type { Answer } from '../wire/answer.ts';
import type { Request } from '../wire/request.ts';
import type { Connecting } from './connector.ts';
import { Rotation } from './rotation.ts';
import { shownNow } from './showing.ts';

export interface SeparateParts extends Connecting {
  readonly addresses: readonly Address[];
}

export interface SeparateSender {
  /** @throws `LOCK_UNAVAILABLE` if the connection ends before the answer. */
  send<T>(request: Request<T>): Promise<Answer<T>>;
}

/** The same, with the servers' settings. */
export interface SeparateSession extends SeparateSender {
  /** How long they wait for a silent process, in ms. */
  readonly sessionTimeout: number;
}

/** The longest answer, in bytes: a few million names. The memory is allocated at once. */
const longestAnswer = 256 * 1024 * 1024;

/**
 * The result of `read`, over a separate connection and session. A long answer delays the heartbeats
 * of its connection, and one that is too long ends it. Neither may happen to the connection of the
 * locks.
 * @param signal Ends it.
 * @throws `LOCK_UNAVAILABLE`.
 */
export async function overSeparateConnection<T>(
  parts: SeparateParts,
  signal: AbortSignal,
  read: (session: SeparateSession) => Promise<T>,
): Promise<T> {
  return await readOver(await connectToAny(parts, signal), signal, read);
}

/**
 * The result of `read` over `connection`, whose session ends afterwards, or when `signal` aborts.
 */
export async function readOver<T>(
  connection: Connection,
  signal: AbortSignal,
  read: (session: SeparateSession) => Promise<T>,
): Promise<T> {
  const { timeout } = connection.session;
  const destroy = (): void => connection.destroy(signal.reason as Error);
  signal.addEventListener('abort', destroy);
  if (signal.aborted) destroy();
  try {
    return await read({ sessionTimeout: timeout, ...senderOf(connection) });
  } finally {
    await connection.end(timeout / 3);
    signal.removeEventListener('abort', destroy);
  }
}

export function senderOf(connection: Connection): SeparateSender {
  return {
    send: (request) =>
      connection.send(request).catch((error: unknown) => {
        throw unansweredError(request.what, error as Error);
      }),
  };
}

/** At the first server that answers, each asked once. */
async function connectToAny({ addresses, ...parts }: SeparateParts, signal: AbortSignal): Promise<Connection> {
  const rotation = new Rotation(addresses, parts.runtime);
  let failure: LockError | undefined;
  for (let attempt = 0; attempt < addresses.length; attempt += 1) {
    try {
      return await connect({
        ...parts,
        ...(await shownNow(parts, signal)),
        address: rotation.next(),
        lastZxid: 0n,
        within: rotation.patience(parts.sessionTimeout),
        maxFrame: longestAnswer,
        signal,
        onEvent() {},
        onEnd() {},
      });
    } catch (error) {
      failure = notSeparate(error);
    }
  }
  throw failure ?? new Error('There is no server to connect to.');
}

export function notSeparate(error: unknown): LockError {
  return unansweredError('a separate connection for a list', error as Error);
}
