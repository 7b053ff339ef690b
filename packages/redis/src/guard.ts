import { checkFenceable, createDeadline, staleError, systemRuntime } from '@locks/core/adapter';
import type { Lease } from '@locks/core';
import type { RedisClient } from './client.ts';
import { toLockError } from './replies.ts';
import { callScript } from './script-call.ts';
import { scripts } from './scripts.ts';

/** Writes to Redis that a holder makes who came too late are refused. */
export interface RedisGuard {
  /**
   * Sets `key` to `value` if no later holder has been there. The highest token is kept at `{<key>}:fence`, or
   * `<key>:fence` where the key has a tag of its own, without expiry.
   * @throws `LOCK_STALE`; `LOCK_INVALID` for a lease that is not exclusive; `LOCK_UNAVAILABLE` when the answer is unknown.
   */
  fencedSet(key: string, value: string, lease: Pick<Lease, 'token' | 'mode'>): Promise<void>;
}

/** A guard that writes through `client`. For writes of another kind put `fenceLua` into a script of your own. */
export function createRedisGuard(client: RedisClient, options: { readonly timeout?: number } = {}): RedisGuard {
  const deadline = createDeadline(systemRuntime, options.timeout ?? 5_000, 'Redis');
  const clientPrefix = client.options?.keyPrefix ?? '';
  return {
    async fencedSet(key, value, lease) {
      checkFenceable(key, lease);
      // A tag in the key decides its slot already; else the whole key becomes the tag.
      const fence = /\{[^}]+\}/.test(clientPrefix + key) ? `${key}:fence` : `{${clientPrefix}${key}}:fence`;
      const what = `a guarded write to ${JSON.stringify(key)}`;
      const explain = (error: unknown): unknown =>
        toLockError(fromFenceReply(error, key, lease), { what, lua: scripts.fencedSet.lua });
      const args = [`${lease.token}`, value];
      await callScript(client, deadline, { script: scripts.fencedSet, keys: [key, fence], args, what, explain });
    },
  };
}

/** The error for the reply `LOCKS_STALE <token>` of a script that uses `fenceLua`; any other error as it is. */
export function fromFenceReply(error: unknown, resource: string, lease: Pick<Lease, 'token'>): unknown {
  const seen = error instanceof Error ? /\bLOCKS_STALE (\d+)/.exec(error.message)?.[1] : undefined;
  return seen === undefined ? error : staleError(resource, lease.token, BigInt(seen));
}
