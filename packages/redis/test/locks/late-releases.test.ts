import type { Claim, LockProvider } from '@locks/core';
import { startProxy, startRedis } from '@locks/test-servers';
import { describe, expect, it } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import type { RedisOptions } from '../../src/index.ts';
import { nodeRedis } from '../support/node-redis.ts';
import { clients, closeAfterTest, eventually } from '../support/redis.ts';
import { stopAfterTest } from '../support/over.ts';

const waiterTtl = 60_000;
const ttl = 60_000;

type Open = (url: string, options: RedisOptions) => LockProvider | Promise<LockProvider>;

const opens: readonly (readonly [string, Open])[] = [
  ...clients.map(([name, make]): readonly [string, Open] => [
    name,
    (url, options) => createRedisProvider(closeAfterTest(make(url)), options),
  ]),
  ['node-redis', async (url, options) => createRedisProvider(await nodeRedis({ url }), options)],
];

function claimOf(owner: string, key = owner): Claim {
  return { key, owner: `test/${owner}`, ttl, mode: 'exclusive' };
}

/**
 * A provider whose requests are held on their way, and one that sees what they do. Its server knows
 * no scripts but those that `hold` has called.
 */
async function prepare(open: Open, known: readonly Claim[]) {
  const server = await stopAfterTest(startRedis());
  const proxy = await stopAfterTest(startProxy(server));
  const provider = await open(proxy.url(server.url), { timeout: 600, waiterTtl });
  const other = await open(server.url, { waiterTtl });
  await other.inspect('any');
  // The script of one, and that of many.
  for (const claims of [known.slice(0, 1), known]) {
    await Promise.all(claims.map((claim) => provider.tryAcquire({ ...claim, key: `${claim.key} before`, ttl: 1 })));
  }
  return { provider, other, hold: () => proxy.hold('requests') };
}

/** All are rejected, as their requests are on their way. */
async function allLate(calls: readonly Promise<unknown>[]): Promise<void> {
  for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected');
}

describe.each(opens)('what was given up, with its release, and arrives late by %s', (_, open) => {
  it.each([1, 2])('is freed where the server does not know the script that frees %i', async (count) => {
    const claims = ['a', 'b'].slice(0, count).map((owner) => claimOf(owner));
    const { provider, other, hold } = await prepare(open, claims);
    const deliver = hold();
    await allLate(claims.map((claim) => provider.tryAcquire(claim)));
    await allLate(claims.map((claim) => provider.release(claim)));
    deliver();
    await provider.inspect('any');
    await eventually('no holder', async () => {
      const states = await Promise.all(claims.map(({ key }) => other.inspect(key)));
      return states.every(({ holders }) => holders.length === 0);
    });
  });

  it('leaves the queue where the script that frees many leaves that to another one', async () => {
    const claims = ['a', 'b'].map((owner) => claimOf(owner));
    const holders = claims.map(({ key }) => claimOf('holder', key));
    const { provider, other, hold } = await prepare(open, claims);
    await Promise.all(holders.map((holder) => other.tryAcquire(holder)));
    await Promise.all(claims.map((claim) => provider.tryAcquire(claim, () => {})));
    const deliver = hold();
    await allLate(claims.map((claim) => provider.release(claim)));
    deliver();
    await provider.inspect('any');
    await eventually('no waiter', async () => {
      const states = await Promise.all(claims.map(({ key }) => other.inspect(key)));
      return states.every(({ waiters }) => waiters === 0);
    });
  });
});
