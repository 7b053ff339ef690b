import { expect, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { clusterOfOne, collect, connect, ownPrefix } from '../support/redis.ts';
import { locksOver } from '../support/over.ts';

test('the main key is a plain string that any SET NX client meets, and the other way round', async () => {
  const client = connect();
  const prefix = ownPrefix();
  const locks = locksOver(client, { prefix });
  const lease = await locks.acquire('job');
  expect(await client.get(`${prefix}job`)).toBe(lease.owner);
  expect(await client.set(`${prefix}job`, 'foreign', 'PX', 10_000, 'NX')).toBeNull();
  await lease.release();
  expect(await client.set(`${prefix}job`, 'foreign', 'PX', 10_000, 'NX')).toBe('OK');
  expect(await locks.tryAcquire('job')).toBeNull();
  await client.del(`${prefix}job`);
  expect(await locks.tryAcquire('job')).not.toBeNull();
});

test('a SET NX client meets sharers too', async () => {
  const client = connect();
  const prefix = ownPrefix();
  const locks = locksOver(client, { prefix });
  const lease = await locks.acquire('job', { mode: 'shared' });
  expect(await client.set(`${prefix}job`, 'foreign', 'PX', 10_000, 'NX')).toBeNull();
  expect(await client.pttl(`${prefix}job`)).toBeGreaterThan(29_000);
  await lease.release();
  expect(await client.set(`${prefix}job`, 'foreign', 'PX', 10_000, 'NX')).toBe('OK');
});

test('the value of another type, as of another library, is a busy holder and not an error', async () => {
  const client = connect();
  const prefix = ownPrefix();
  const locks = locksOver(client, { prefix });
  await client.hset(`${prefix}job`, 'uuid:1', 1);
  expect(await locks.tryAcquire('job')).toBeNull();
  expect(await locks.tryAcquire('job', { mode: 'shared' })).toBeNull();
  expect((await locks.inspect('job')).holders).toEqual([]);
});

test('every key expires, and only token counters outlive their lock', async () => {
  const client = connect();
  const prefix = ownPrefix();
  const locks = locksOver(client, { prefix });
  const held = await Promise.all([locks.acquire('a'), locks.acquire('b', { mode: 'shared', permits: 3 })]);
  const waiting = locks.acquire('a', { wait: 5_000 }).then((lease) => lease.release());
  await expect.poll(async () => (await locks.inspect('a')).waiters).toBe(1);
  const names = await client.keys(`*${prefix}*`);
  expect(names.length).toBeGreaterThanOrEqual(8);
  for (const name of names) expect(await client.pttl(name), name).toBeGreaterThan(0);
  await Promise.all(held.map((lease) => lease.release()));
  await waiting;
  const left = await client.keys(`*${prefix}*`);
  expect(left.toSorted()).toEqual([`{${prefix}a}:token`, `{${prefix}b}:token`]);
});

test('a prefix of the client and its database are honoured', async () => {
  const plain = connect();
  const prefix = ownPrefix();
  const client = connect({ keyPrefix: 'app:', db: 5 });
  const locks = locksOver(client, { prefix });
  const [holder] = [await locks.acquire('job')];
  const next = locks.acquire('job');
  await expect.poll(async () => (await locks.inspect('job')).waiters).toBe(1);
  const listed = await collect(createRedisProvider(client, { prefix }).list?.('') ?? []);
  expect(listed).toEqual(['job']);
  await plain.select(5);
  expect(await plain.get(`app:${prefix}job`)).toBe(holder.owner);
  expect((await plain.keys('app:*')).toSorted()).toContain(`app:{app:${prefix}job}:queue`);
  await holder.release();
  await (await next).release();
});

test('all keys of a lock are in one slot of a cluster', async () => {
  const client = connect({ keyPrefix: 'app:' }, await clusterOfOne());
  const locks = locksOver(client);
  // A script whose keys are in two slots is refused with CROSSSLOT.
  for (const key of ['plain', '{a}b', 'a{b}', '{}', 'a}b{c', '%7B', '{{x}}', ':queue']) {
    const lease = await locks.acquire(key);
    expect(await locks.tryAcquire(key)).toBeNull();
    const giving = new AbortController();
    const given = locks.acquire(key, { signal: giving.signal });
    await expect.poll(async () => (await locks.inspect(key)).waiters).toBe(1);
    giving.abort(new Error('given up'));
    await expect(given).rejects.toThrow('given up');
    await expect.poll(async () => (await locks.inspect(key)).waiters).toBe(0);
    const share = locks.acquire(key, { mode: 'shared', permits: 2 });
    await expect.poll(async () => (await locks.inspect(key)).waiters).toBe(1);
    expect((await locks.inspect(key)).holders).toHaveLength(1);
    await lease.release();
    await (await share).release();
  }
});
