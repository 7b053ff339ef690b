import { LockError, misconfigured } from '@locks/core/adapter';
import { redisSource } from '../options/options.ts';
import type { Credentials } from './credentials.ts';
import { probeTime } from './own-client.ts';
import type { Explaining } from './own-client.ts';
import { otherProtocol } from './other-protocol.ts';
import type { Target } from './target.ts';

/** Better errors for first connections to `target` that fail. */
export function explainFirst({ kind, hosts, name, connectTimeout }: Target, credentials: Credentials): Explaining {
  return {
    async probe(failure) {
      const unanswered = await credentials.failure();
      if (unanswered !== undefined) return unanswered;
      const [server] = hosts;
      // A socket of this host has no TLS.
      if (server === undefined || server.host.startsWith('/')) return undefined;
      const suffix = kind === 'server' ? '' : (`+${kind}` as const);
      const { tls } = credentials.shown;
      return await otherProtocol({ ...server, tls, suffix, patience: probeTime(connectTimeout) / 2 }, failure);
    },
    tell(failure, found) {
      if (found === undefined && /ERR No such master with that name/.test(String(failure.cause))) {
        const why = `the Sentinels know no master "${name}"; check the name in the URL, or option "sentinelName"`;
        return misconfigured(redisSource.where, why, { cause: failure.cause });
      }
      if (found !== undefined || kind === 'server' || failure.code !== 'LOCK_UNAVAILABLE') return found;
      // The client says that a connection was closed, and not whose.
      const names = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
      return new LockError('LOCK_UNAVAILABLE', `${failure.message} None of ${names} could be used.`, {
        cause: failure.cause,
      });
    },
  };
}
