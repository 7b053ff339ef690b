import { LockError, checkFenceable, createDeadline, readOptions, staleError, systemRuntime } from '@locks/core/adapter';
import type { Duration } from '@locks/core/adapter';
import type { Lease } from '@locks/core';
import { redisReaders, redisSource } from './options/options.ts';
import { noAnswerReason, toLockError } from './wire/replies.ts';
import { callScript } from './wire/script-call.ts';
import { clientOf } from './clients/given-client.ts';
import type { GivenClient } from './clients/given-client.ts';
import { scripts } from './wire/scripts.ts';
import { unpipelined } from './wire/unpipelined.ts';

/** Writes to Redis that are refused once a later holder has written. */
export interface RedisGuard {
  /**
   * Sets `key` to `value` if no later holder has written. The highest token is kept without expiry,
   * at `{<key>}:fence`. For a key with a Cluster hash tag it is `<key>:fence`, and for a key that
   * is a tag as a whole, `<key>:fence:tag`.
   * @throws `LOCK_STALE` when a later holder has written. `LOCK_INVALID` for a lease that is not
   * exclusive, and for a key of a Cluster with braces but no tag. `LOCK_UNAVAILABLE` when the
   * answer is unknown.
   */
  write(key: string, value: string, lease: Pick<Lease, 'token' | 'mode'>): Promise<void>;
}

/** Options of a guard for Redis. */
export interface RedisGuardOptions {
  /** Time limit of a write. @default 5_000 ms */
  readonly timeout?: Duration | undefined;
}

/**
 * A guard that writes through `given`, a client as `createRedisProvider` takes it. For other kinds
 * of writes use `fenceLua` in a script of your own.
 * @throws `LOCK_MISCONFIGURED` for a wrong client or option.
 */
export function createRedisGuard(given: GivenClient, options: RedisGuardOptions = {}): RedisGuard {
  const { timeout = 5_000 } = readOptions<RedisGuardOptions>({ timeout: redisReaders.timeout }, options, redisSource);
  const client = clientOf(given);
  const deadline = createDeadline(systemRuntime, timeout, 'Redis', () => noAnswerReason(client));
  const clientPrefix = client.options?.keyPrefix ?? '';
  const sender = unpipelined(client);
  return {
    async write(key, value, lease) {
      checkFenceable(key, lease);
      const what = `a guarded write to ${JSON.stringify(key)}`;
      const fence = fenceOf(key, clientPrefix);
      const script = scripts.fencedSet;
      await callScript(sender, deadline, {
        script,
        input: () => [2, key, fence, `${lease.token}`, value],
        what: () => what,
        explain: (error) => toLockError(fromReply(error, key, lease), { what, lua: script.lua }),
      });
    },
  };
}

/** The name of the fence of `key`: in the same Cluster slot, and unique. */
function fenceOf(key: string, clientPrefix: string): string {
  // The slot is that of the text between the first opening brace and the next closing one.
  const tag = /^[^{]*\{([^}]*)\}/.exec(clientPrefix + key)?.[1];
  if (!tag) return `{${clientPrefix}${key}}:fence`;
  // `{x}:fence` is the fence of x.
  return key.startsWith('{') && key.endsWith('}') ? `${key}:fence:tag` : `${key}:fence`;
}

function fromReply(error: unknown, key: string, lease: Pick<Lease, 'token'>): unknown {
  if (!(error instanceof Error)) return error;
  const seen = /\bLOCKS_STALE (\d+)/.exec(error.message)?.[1];
  if (seen !== undefined) return staleError(key, lease.token, BigInt(seen));
  if (!error.message.startsWith('CROSSSLOT')) return error;
  const name = JSON.stringify(key);
  return new LockError(
    'LOCK_INVALID',
    `${name} and its fence are in different slots of the Cluster: use a name without braces, or with a tag like {order}:total.`,
    { cause: error },
  );
}
