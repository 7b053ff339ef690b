import { LockError, misconfigured } from '@locks/core/adapter';
import { redisSource } from '../options/options.ts';
import type { Credentials } from './credentials.ts';
import { otherProtocol } from './other-protocol.ts';
import type { Target } from './target.ts';

/** A better error for a first connection that failed, where there is one. */
export async function explainFirst(
  failure: LockError,
  { kind, hosts, name }: Target,
  credentials: Credentials,
): Promise<LockError | undefined> {
  const unanswered = await credentials.failure();
  if (unanswered !== undefined) return unanswered;
  const [server] = hosts;
  const suffix = kind === 'server' ? '' : (`+${kind}` as const);
  const { tls } = credentials.shown;
  const isPath = server?.host.startsWith('/') === true;
  const found = server === undefined || isPath ? undefined : await otherProtocol({ ...server, tls, suffix }, failure);
  if (found === undefined && /ERR No such master with that name/.test(failure.message)) {
    const why = `the Sentinels know no master "${name}"; check the name in the URL, or option "sentinelName"`;
    return misconfigured(redisSource.where, why, { cause: failure.cause });
  }
  if (found !== undefined || kind === 'server' || failure.code !== 'LOCK_UNAVAILABLE') return found;
  // The client says that a connection was closed, and not whose.
  const names = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  return new LockError('LOCK_UNAVAILABLE', `${failure.message} None of ${names} could be used.`, {
    cause: failure.cause,
  });
}
