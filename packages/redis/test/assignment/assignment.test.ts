import { startRedis } from '@locks/test-servers';
import { createLocks } from '@locks/core';
import type { LockProvider } from '@locks/core';
import type { Redis } from 'ioredis';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import type { RedisOptions } from '../../src/index.ts';
import { scripts } from '../../src/wire/scripts.ts';
import { claimOf, lineUp } from '../support/line.ts';
import { clients, connect, eventually, ownPrefix, withCopies } from '../support/redis.ts';
import { checks } from './checks.ts';
import type { Setting } from './checks.ts';
import { flawed, flaws } from './flaws.ts';
import type { Flaw } from './flaws.ts';

// The tests look at its channels.
const server = await startRedis();
afterAll(() => server.stop());

const names = new Map(Object.entries(scripts).map(([name, { sha }]) => [sha, name]));

interface Watched extends Setting {
  /** The scripts that the waiting process called, by name. */
  readonly calls: string[];
}

function createSetting(
  create: (url: string) => Redis = (url) => connect({}, url),
  flaw?: Flaw,
  options: RedisOptions = {},
): Watched {
  const prefix = ownPrefix();
  const waiterTtl = 2_000;
  const calls: string[] = [];
  const killed = new Map<LockProvider, () => void>();
  const provide = (heard: string[], own: RedisOptions = {}): LockProvider => {
    const client = create(server.url);
    const copies: { disconnect(): void }[] = [client];
    const watched = withCopies(client, (override) => {
      const copy = client.duplicate(override);
      copies.push(copy);
      return copy;
    });
    watched.evalsha = (sha, ...input) => {
      heard.push(names.get(sha) ?? sha);
      return names.get(sha) === flaw?.script && flaw !== undefined
        ? client.eval(flawed(flaw), ...input)
        : client.evalsha(sha, ...input);
    };
    const provider = createRedisProvider(watched, { prefix, waiterTtl, ...own });
    killed.set(provider, () => copies.forEach((copy) => copy.disconnect()));
    onTestFinished(async () => {
      await provider.close();
      killed.get(provider)?.();
    });
    return provider;
  };
  const [waiting, holding] = [provide(calls, options), provide([])];
  const kill = (provider: LockProvider): void => killed.get(provider)?.();
  return { waiting, holding, waiterTtl, prefix, calls, kill, client: connect({}, server.url) };
}

describe.each(clients)('a key that a release assigns, with %s', (_name, create) => {
  test.each(Object.entries(checks))('%s', async (_check, check) => {
    await check(createSetting(create));
  });
});

test.each(flaws)('finds that $name, as "$fails" fails', async (flaw) => {
  await expect(checks[flaw.fails](createSetting(undefined, flaw))).rejects.toThrow(/expected|in vain|not free/);
});

/** A lease that was waited for, and what its process called since its holder released. */
async function waitFor(
  { waiting, holding, calls }: Watched,
  options: Parameters<ReturnType<typeof createLocks>['acquire']>[1] = {},
): Promise<{ readonly remaining: number; readonly called: readonly string[] }> {
  const [waiter, holder] = [createLocks(waiting), createLocks(holding)];
  const held = await holder.acquire('job');
  const waited = waiter.acquire('job', options);
  await eventually('the waiter', async () => (await holder.inspect('job')).waiters === 1);
  const before = calls.length;
  await held.release();
  const lease = await waited;
  const { remaining } = lease;
  const called = calls.slice(before);
  expect(lease.held).toBe(true);
  expect(await lease.release()).toBe(true);
  return { remaining, called };
}

test('a waiter that was assigned a key sends nothing before it releases', async () => {
  const setting = createSetting();
  const { remaining, called } = await waitFor(setting);
  expect(called).toEqual([]);
  expect(remaining).toBeLessThanOrEqual(setting.waiterTtl);
});

test.each([
  ['is not renewed', { renew: false }],
  ['rests', { atLeast: 100 }],
  ['rests after an unclean end', { lockDelay: 1_000 }],
] as const)('a lease that %s asks for its whole ttl', async (_title, options) => {
  const { remaining, called } = await waitFor(createSetting(), options);
  expect(called).toEqual(['acquire']);
  expect(remaining).toBeGreaterThan(20_000);
});

test.each([
  ['of a provider that is not fair', { fair: false }],
  ['of a provider with restartGuard', { restartGuard: 30_000 }],
] as const)('a claim %s is told its turn', async (_title, options) => {
  const setting = createSetting(undefined, undefined, options);
  const holder = claimOf({ ttl: 20_000 });
  await setting.holding.tryAcquire(holder);
  if ('restartGuard' in options) await setting.client.set(`{${setting.prefix}}:server`, await marker(setting.client));
  await lineUp(setting.waiting, claimOf({ ttl: 20_000 }));
  expect(await setting.client.exists(`{${setting.prefix}job}:terms`)).toBe(0);
  await setting.holding.release(holder);
  expect((await setting.holding.inspect('job')).holders).toEqual([]);
});

async function marker(client: Redis): Promise<string> {
  const [, run] = /run_id:(\w+)/.exec(await client.info('server')) ?? [];
  return `run_id:${run} 0`;
}

test('a claim whose ttl ends before its next look is told its turn', async () => {
  const { waiting, holding } = createSetting();
  const [holder, waiter] = [claimOf(), claimOf({ ttl: 500 })];
  await holding.tryAcquire(holder);
  await lineUp(waiting, waiter);
  await holding.release(holder);
  expect((await holding.inspect('job')).holders).toEqual([]);
});
