import { LockError, createDeadline, misconfigured } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { redisSource } from '../options/options.ts';
import { toLockError } from '../wire/replies.ts';
import type { Credentials } from './credentials.ts';
import { isOver } from './is-over.ts';
import { otherProtocol } from './other-protocol.ts';
import type { Connecting, OwnClient } from './own-client.ts';
import type { Target } from './target.ts';

export interface FirstConnection<Client extends Connecting> {
  readonly client: Client;
  readonly target: Target;
  readonly credentials: Credentials;
  /** Further work within the same time. */
  readonly afterwards: (client: Client) => Promise<unknown>;
  /** The event that reports the cause of failures. */
  readonly errors: 'error' | 'node error';
  readonly runtime: Runtime;
}

/**
 * Connects `client` within the target's time.
 * @throws `LOCK_MISCONFIGURED` if another attempt would fail in the same way; else
 * `LOCK_UNAVAILABLE`.
 */
export async function connectFirst<Client extends Connecting>(first: FirstConnection<Client>): Promise<void> {
  const { client, target, credentials, afterwards, errors, runtime } = first;
  const { db, connectTimeout: limit } = target;
  let last: unknown;
  client.on('error', (error) => (last ??= error));
  client.on(errors, (error) => (last = error));
  const deadline = createDeadline(runtime, limit, 'Redis');
  const connecting = async (): Promise<void> => {
    await connected(client);
    if (isOver((client as Partial<OwnClient>).stream)) throw new Error('Connection is closed.');
    await afterwards(client);
  };
  const failureOf = (error: unknown): LockError => toLockError(last ?? error, { what: 'the connection' });
  // Why a server is silent is examined before the time ends.
  let probed: Promise<LockError | undefined> | undefined;
  const patience = Math.min(1_000, limit / 4);
  const probe = (error: unknown): Promise<LockError | undefined> =>
    (probed ??= otherReason(failureOf(error), target, credentials, patience / 2));
  const early = runtime.setTimer(() => void probe(new Error('no answer')), limit - patience, false);
  try {
    await deadline.race(connecting(), 'the connection');
  } catch (error) {
    client.disconnect();
    const text = error instanceof Error ? error.message : '';
    if (/DB index|SELECT is not allowed/.test(text)) {
      throw misconfigured(redisSource.where, `option "db" is ${db}, and Redis answers: ${text}`);
    }
    throw (await probe(error)) ?? named(failureOf(error), target);
  } finally {
    runtime.clearTimer(early);
    deadline.stop();
  }
}

/**
 * Resolves when `client` is ready. `connect` of a Cluster does not settle if the first node reports
 * that the Cluster is down, and the client becomes ready later.
 */
async function connected(client: Connecting): Promise<void> {
  const ready = new Promise<void>((resolve) => client.once('ready', resolve));
  await Promise.race([client.connect(), ready]);
}

/** A better reason for `failure`, from probing the server. `undefined`: none was found. */
async function otherReason(
  failure: LockError,
  { kind, hosts: [server] }: Target,
  credentials: Credentials,
  patience: number,
): Promise<LockError | undefined> {
  const unanswered = await credentials.failure();
  if (unanswered !== undefined) return unanswered;
  // A socket of this host has no TLS.
  if (server === undefined || server.host.startsWith('/')) return undefined;
  const suffix = kind === 'server' ? '' : (`+${kind}` as const);
  return await otherProtocol({ ...server, tls: credentials.shown.tls, suffix, patience }, failure);
}

/** `failure`, with what the client does not report: which servers, or what the Sentinels know. */
function named(failure: LockError, { kind, hosts, name }: Target): LockError {
  const { code, message, cause } = failure;
  if (/ERR No such master with that name/.test(String(cause))) {
    const why = `the Sentinels know no master "${name}"; check the name in the URL, or option "sentinelName"`;
    return misconfigured(redisSource.where, why, { cause });
  }
  if (kind === 'server' || code !== 'LOCK_UNAVAILABLE') return failure;
  // The client reports a closed connection, but not which.
  const names = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  return new LockError('LOCK_UNAVAILABLE', `${message} None of ${names} could be used.`, { cause });
}
