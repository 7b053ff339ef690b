import type { Claim, LockProvider } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { RedisClient, RedisOptions } from '../../src/index.ts';
import { providerOver, stopAfterTest } from './over.ts';
import { claimOf } from './queue.ts';
import { connect, eventually } from './redis.ts';

export const guard = 800;
export const guarded = (mode: Claim['mode'] = 'exclusive'): Claim => claimOf({ mode, ttl: guard });
export const refused = {
  code: 'LOCK_UNAVAILABLE',
  sent: false,
  message: expect.stringMatching(/^Redis restarted .* s ago, or lost its data: no grants for another .* s /) as string,
};

export async function ownServer(...args: string[]): Promise<{ readonly server: ServerHandle; readonly client: Redis }> {
  const server = await stopAfterTest(startRedis({ args }));
  return { server, client: connect({}, server.url) };
}

export function providerOn(client: RedisClient, options: RedisOptions = {}): LockProvider {
  return providerOver(client, { restartGuard: guard, ...options });
}

/** The moment since which the server of `client` counts, in ms of its clock. */
export async function since(client: Redis): Promise<number> {
  return Number((await client.get('{locks:}:server'))?.split(' ')[1]);
}

/** Repeats `claim` while the server refuses it; resolves to its token. */
export async function grantedAfterwards(provider: LockProvider, claim: Claim): Promise<bigint> {
  return await eventually('a grant', async () => {
    try {
      const answer = await provider.tryAcquire(claim);
      expect(answer).toMatchObject({ granted: true });
      return answer.granted ? answer.token : undefined;
    } catch (error) {
      expect(error).toMatchObject(refused);
      return undefined;
    }
  });
}
