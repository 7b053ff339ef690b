import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openLocks } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { redisCommand } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { initialise } from '../../src/index.ts';
import { opened } from '../support/over.ts';
import { closeAfterTest, connect, eventually } from '../support/redis.ts';
import { cutCopies, inCluster, oneServer, quorumOfThree, withSentinels } from './support/deployments.ts';
import type { Deployment } from './support/deployments.ts';

/** The key of Redis that is the lock. */
const redisKey = 'locks:job';
const hour = 3_600_000;

/** A column of the table in docs/backends/redis-topologies.md. */
interface Form {
  readonly start: () => Promise<Deployment>;
  /** In ms: of the lease, which has to outlast the event. Where locks rest, the test does too. */
  readonly ttl: number;
  /** In ms. Longer than the ttl by the time for which a master that is cut off goes on. */
  readonly restartGuard?: number;
}

const single: Readonly<Record<string, Form>> = {
  'one server': { start: oneServer, ttl: 30_000 },
  'with `restartGuard`': { start: oneServer, ttl: 5_000, restartGuard: 5_000 },
  'quorum of three': { start: quorumOfThree, ttl: 30_000 },
};

const guarded = { ttl: 12_000, restartGuard: 16_000 };
const followed: Readonly<Record<string, Form>> = {
  Sentinels: { start: () => withSentinels(false), ttl: 60_000 },
  'Sentinels with `restartGuard`': { start: () => withSentinels(true), ...guarded },
  Cluster: { start: () => inCluster(redisKey), ttl: 30_000 },
};

/** Resolves to what happens when another server follows, if anything does. */
type Happen = (deployment: Deployment) => Promise<unknown>;

/** By the rows of the table: what happens to the server that has the lock, which a client holds. */
const events: Readonly<Record<string, Happen>> = {
  async 'restart with all data'({ master }) {
    await redisCommand(master, 'SAVE');
    await master.restart();
  },
  'restart without data': ({ master }) => master.restart({ keepData: false }),
  '`FLUSHALL`': ({ master }) => redisCommand(master, 'FLUSHALL'),
  'eviction of a held key': ({ master }) => evict(master),
  "step of the server's clock, back": ({ putClock }) => putClock!(-hour),
  "step of the server's clock, forward": ({ putClock }) => putClock!(hour),
};

const partition = 'partition, the old master has clients';

/** Another server follows, which has no copy of the lock. */
const failovers: Readonly<Record<string, Happen>> = {
  'failover, the master was killed': ({ master }) => master.kill(),
  async 'failover, the old master stood still'({ master }) {
    await master.pause();
    return () => master.resume();
  },
  [partition]: ({ failover }) => failover!.cutOff(),
};

/** What the table says of `event` below the head `name`. */
function toldOf(event: string, name: string): string | undefined {
  const page = readFileSync(new URL('../../../../docs/backends/redis-topologies.md', import.meta.url), 'utf8');
  const [, table = ''] = /\n(\| event .*?)\n\n/s.exec(page) ?? [];
  const rows = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.find((row) => row[1] === event)?.[rows[0]!.indexOf(name)];
}

for (const [forms, all] of [
  [single, events],
  [followed, failovers],
] as const) {
  for (const [name, form] of Object.entries(forms)) {
    test.each(Object.entries(all))(`%s, ${name}`, { timeout: 150_000 }, async (event, happen) => {
      expect(await outcomeOf(happen, form)).toBe(toldOf(event, name));
    });
  }
}

test(
  'partition of Sentinels with `restartGuard`, without min-replicas-to-write: two',
  { timeout: 150_000 },
  async () => {
    const form = { ...guarded, start: () => withSentinels(false) };
    expect(await outcomeOf(failovers[partition]!, form)).toBe('two');
  },
);

/** What `happen` costs in a form: `kept`, `two` holders, or that the locks `rest`. */
async function outcomeOf(happen: Happen, { start, ttl, restartGuard }: Form): Promise<string> {
  const deployment = await start();
  const { url, master, failover } = deployment;
  const options = { timeout: 1_000, ...(restartGuard && { restartGuard }) };
  const open = async (): Promise<Locks> => await opened(openLocks({ url, ttl, closeTimeout: 1_000, options }));
  if (restartGuard !== undefined) await initialise(connect({}, master.url));
  const [holder, other] = [await open(), await open()];
  // Each knows its server.
  for (const locks of [holder, other]) await (await locks.acquire('job')).release();
  // A release of a quorum may be on its way to the third member: its vote would be missing.
  for (const server of [master, ...deployment.others]) await untilKeys(server, 0);
  const copies = failover && (await cutCopies(master, failover.replicas));
  // At a master that is cut off it goes on.
  const lease = await holder.acquire('job', { renew: happen === failovers[partition] });
  // Two of three members may have decided. The table is about a lease that has the votes of all.
  for (const server of [master, ...deployment.others]) await untilKeys(server, 1);
  await copies?.limit();
  const after = await happen(deployment);
  await copies?.allow();
  await failover?.followed();
  if (typeof after === 'function') await (after as () => Promise<void>)();
  // One from before may still speak to the old master.
  const rival = failover ? await open() : other;
  const outcome = await outcomeFor(lease, rival);
  if (outcome === 'rest') await servedAfter(lease, rival);
  return outcome;
}

async function untilKeys(server: ServerHandle, count: 0 | 1): Promise<void> {
  await expect.poll(() => redisCommand(server, 'EXISTS', redisKey), { timeout: 5_000 }).toBe(count);
}

/** What another client sees while the lease is held by its own word. */
async function outcomeFor(lease: Lease, rival: Locks): Promise<string> {
  const refusals = new Set<string>();
  while (lease.held) {
    const second = await rival.tryAcquire('job').catch((error: unknown) => void refusals.add(reasonOf(error)));
    if (second && second.held && lease.held) {
      expect(second.token).toBeGreaterThan(lease.token);
      return 'two';
    }
    const renews = async (): Promise<boolean> => await lease.renew().then(...([() => true, () => false] as const));
    if (second === null && (await renews())) return 'kept';
    await delay(50);
  }
  // Not because Redis was down all the time.
  expect([...refusals].join('\n')).toMatch(/no grants for another/);
  return 'rest';
}

async function servedAfter(lease: Lease, rival: Locks): Promise<void> {
  const take = async (): Promise<Lease | undefined> => (await rival.tryAcquire('job').catch(() => null)) ?? undefined;
  const next = await eventually('a grant', take, 60_000);
  expect(next.token).toBeGreaterThan(lease.token);
  expect(lease.held).toBe(false);
}

/** The message of an error, with those of its causes. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${reasonOf(error.cause)}` : '';
}

/** Writes until the server has evicted the key. */
async function evict({ url }: ServerHandle): Promise<void> {
  const client = closeAfterTest(new Redis(url));
  const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
  await client.config('SET', 'maxmemory', String(used + 1_000_000));
  await client.config('SET', 'maxmemory-policy', 'volatile-random');
  let written = 0;
  await eventually('the eviction', async () => {
    written += 1;
    await client.set(`filler-${written}`, 'x'.repeat(100_000)).catch(() => {});
    return (await client.exists(redisKey)) === 0;
  });
  await client.config('SET', 'maxmemory', '0');
}
