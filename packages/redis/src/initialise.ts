import { createDeadline, readOptions, systemRuntime } from '@locks/core/adapter';
import type { Duration } from '@locks/core/adapter';
import { clientOf } from './clients/given-client.ts';
import type { NodeRedisCluster } from './clients/node-redis/cluster.ts';
import type { AnyNodeRedis } from './clients/node-redis/kinds.ts';
import type { RedisClient } from './wire/client.ts';
import { keyNames } from './locks/keys.ts';
import { defaultPrefix, refuseCluster, redisReaders, redisSource } from './options/options.ts';
import { noAnswerReason, toLockError } from './wire/replies.ts';
import { callScript } from './wire/script-call.ts';
import { scripts } from './wire/scripts.ts';
import { isCluster } from './wire/servers.ts';

/** Options of `initialise`. */
export interface InitialiseOptions {
  /** That of the providers. @default 'locks:' */
  readonly prefix?: string | undefined;
  /** Time limit of the call. @default 5_000 ms */
  readonly timeout?: Duration | undefined;
}

/**
 * Declares to providers with option `restartGuard` that the server of `given` is new, and has lost
 * no locks: it grants immediately. Call it once, manually, while no lease of these providers is
 * held. A service that calls it at each start has no guard.
 * @throws `LOCK_MISCONFIGURED` for a wrong client or option, and for a missing right;
 * `LOCK_UNAVAILABLE` if the server does not answer, or is a replica.
 */
export async function initialise(
  given: RedisClient | Exclude<AnyNodeRedis, NodeRedisCluster>,
  options: InitialiseOptions = {},
): Promise<void> {
  const client = clientOf(given);
  refuseCluster(isCluster(client), 'initialise() is for');
  const { prefix: prefixReader, timeout: timeoutReader } = redisReaders;
  const readers = { prefix: prefixReader, timeout: timeoutReader };
  const { prefix = defaultPrefix, timeout = 5_000 } = readOptions<InitialiseOptions>(readers, options, redisSource);
  const { marker } = keyNames(prefix, client.options?.keyPrefix ?? '');
  const script = scripts.initialise;
  const deadline = createDeadline(systemRuntime, timeout, 'Redis', () => noAnswerReason(client));
  await callScript(client, deadline, {
    script,
    input: () => [1, marker],
    what: () => what,
    explain: (error) => toLockError(error, { what, lua: script.lua }),
  });
}

const what = 'the initialisation';
