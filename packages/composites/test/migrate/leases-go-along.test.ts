import { setTimeout as sleep } from 'node:timers/promises';
import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocks, createMemoryProvider } from '../../../core/src/index.ts';
import { withSession } from '../../../core/test/support/with-session.ts';
import type { Locks } from '../../../core/src/index.ts';
import type { Phase } from '../../src/index.ts';
import { claimOf, fleet, listen, presence, withValidity } from '../support/migrating-fleet.ts';

test('a lease that is held goes along: it is carried, then shed', async () => {
  let phase: Phase = 'from';
  const { process, holders, mayGoOn } = fleet();
  const heard = listen();
  const provider = process(() => phase);
  const locks = createLocks(provider, { ttl: 1_500 });
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job');
  expect(await holders()).toEqual({ from: 1, to: 0 });
  const renewedUntil = async (expected: Readonly<Record<'from' | 'to', number>>): Promise<void> =>
    await vi.waitFor(async () => {
      await lease.renew();
      expect(await holders()).toEqual(expected);
    }, 5_000);
  phase = 'both';
  await renewedUntil({ from: 1, to: 1 });
  expect(heard).toContainEqual(expect.objectContaining({ event: 'carried', key: 'job' }));
  await mayGoOn();
  phase = 'to';
  await renewedUntil({ from: 0, to: 1 });
  phase = 'both';
  await renewedUntil({ from: 1, to: 1 });
  await mayGoOn();
  phase = 'from';
  await renewedUntil({ from: 1, to: 0 });
  expect(lease.held).toBe(true);
  expect(await lease.release()).toBe(true);
  expect(await holders()).toEqual({ from: 0, to: 0 });
});

test('a lease that is carried there and back is renewed, though stores gave it other tokens', async () => {
  let phase: Phase = 'from';
  const { process, holders, mayGoOn } = fleet();
  const heard = listen();
  const locks = createLocks(
    process(() => phase),
    { ttl: 1_500 },
  );
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job');
  const { token } = lease;
  for (const next of ['both', 'to', 'both', 'from', 'both', 'to'] as const) {
    phase = next;
    const expected = { from: next === 'to' ? 0 : 1, to: next === 'from' ? 0 : 1 };
    await vi.waitFor(async () => {
      await lease.renew();
      expect(await holders()).toEqual(expected);
    }, 5_000);
    if (next === 'both') await vi.waitFor(() => expect(heard.at(-1)?.event).toBe('carried'));
    await lease.renew();
    await lease.renew();
    if (next === 'both') await mayGoOn();
  }
  expect(lease.held).toBe(true);
  expect(lease.token).toBe(token);
  expect(await lease.release()).toBe(true);
});

test('a lease that was carried is handed over, though the store gave it a higher token', async () => {
  let phase: Phase = 'from';
  const { process, to, holders } = fleet();
  const open = (): Locks => {
    const locks = createLocks(
      process(() => phase),
      { ttl: 1_500 },
    );
    onTestFinished(() => locks.close());
    return locks;
  };
  const heard = listen();
  const [giver, resumer] = [open(), open()];
  const given = await giver.acquire('job');
  const changes = (next: Phase) => heard.filter(({ event, effective }) => event === 'changed' && effective === next);
  await vi.waitFor(() => expect(changes('from')).toHaveLength(2), 5_000);
  for (const next of ['both', 'to'] as const) {
    phase = next;
    await vi.waitFor(() => expect(changes(next)).toHaveLength(2), 5_000);
    await vi.waitFor(async () => {
      await given.renew();
      expect(await holders()).toEqual({ from: next === 'to' ? 0 : 1, to: 1 });
    }, 5_000);
  }
  const [holder] = (await createMemoryProvider({ store: to }).inspect('job')).holders;
  expect(holder?.token).toBeGreaterThan(given.token);
  const lease = await resumer.resume(await given.handOver());
  expect([lease.owner, lease.token]).toEqual([given.owner, given.token]);
  await lease.renew();
  expect(await lease.release()).toBe(true);
  expect(await holders()).toEqual({ from: 0, to: 0 });
});

test('a lease that goes on under an end lasts for as long as was told before', async () => {
  let phase: Phase = 'both';
  const { process, holders } = fleet();
  const heard = listen();
  const provider = process(() => phase);
  const claim = claimOf('p/1', { ttl: 2_500 });
  const told = performance.now() + 2_450;
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  let earliest = Infinity;
  const renew = async (): Promise<void> => {
    const renewed = await provider.renew(claim);
    earliest = Math.min(earliest, performance.now() + (renewed ? (renewed.validity ?? 0) : 0));
  };
  phase = 'to';
  await vi.waitFor(async () => {
    await renew();
    expect(heard.at(-1)).toMatchObject({ event: 'changed', effective: 'to' });
  });
  await renew();
  expect(await holders()).toEqual({ from: 1, to: 1 });
  await vi.waitFor(async () => {
    await renew();
    expect(await holders()).toEqual({ from: 0, to: 1 });
  }, 5_000);
  expect(earliest).toBeGreaterThan(told);
});

test('a lease that is carried keeps the presence for as long as was told under the end', async () => {
  let phase: Phase = 'from';
  const { process, from, holders } = fleet();
  // As a session: its holds outlast the ttl.
  const session = withValidity(createMemoryProvider({ store: from }), 800);
  const provider = process(() => phase, { from: session });
  const observer = createMemoryProvider({ store: from });
  const present = async (): Promise<number> => (await observer.inspect(presence('from'))).holders.length;
  const claim = claimOf('p/1', { ttl: 300 });
  await vi.waitFor(async () => expect(await present()).toBe(1));
  expect(await provider.tryAcquire(claim)).toMatchObject({ granted: true });
  phase = 'both';
  const renewed = await provider.renew(claim);
  expect(renewed && renewed.validity).toBeGreaterThan(500);
  await vi.waitFor(async () => expect(await holders()).toEqual({ from: 1, to: 1 }));
  await sleep(100);
  expect(await present()).toBe(1);
  // Both stores would end the lease earlier.
  const again = await provider.renew(claim);
  expect(again && again.validity).toBeGreaterThan(400);
  expect(again && again.validity).toBeLessThan(701);
  await sleep(100);
  expect(await present()).toBe(1);
  await vi.waitFor(async () => {
    expect(await provider.renew(claim)).not.toBe(false);
    expect(await present()).toBe(0);
  });
  const begun = performance.now();
  const last = await provider.renew(claim);
  // Of its own ttl. It counts from the send to each store, which is later.
  expect(last && last.validity).toBeLessThan(301 + performance.now() - begun);
});

test.each<[string, readonly Phase[], 'from' | 'to', boolean]>([
  ['was taken there', ['from'], 'from', true],
  ['was carried there', ['from', 'both'], 'to', true],
  ['was taken there, and carried on', ['from', 'both'], 'from', true],
  ['was carried there, and gave the first one up', ['from', 'both', 'to'], 'to', true],
  ['was taken there, and gave it up', ['from', 'both', 'to'], 'from', false],
  ['was taken in both, and gave the other one up', ['both', 'to'], 'to', true],
  ['was taken in both, and gave it up', ['both', 'to'], 'from', false],
  ['gave it up, and was carried there again', ['both', 'to', 'both'], 'from', true],
  ['gave it up twice', ['from', 'both', 'to', 'both', 'to'], 'from', false],
])('a lease ends with the session of a store only while it counts on that store: it %s', async (...given) => {
  const [, [first, ...changes], end, ends] = given;
  let phase = first as Phase;
  const { process, holders, mayGoOn, from, to } = fleet();
  const stores = { from, to };
  const session = new AbortController();
  const inner = createMemoryProvider({ store: stores[end] });
  const locks = createLocks(
    process(() => phase, { [end]: withSession(inner, 'job', () => session.signal) }),
    { ttl: 600 },
  );
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job');
  for (const next of changes) {
    phase = next;
    const expected = { from: next === 'to' ? 0 : 1, to: next === 'from' ? 0 : 1 };
    await vi.waitFor(async () => expect(await holders()).toEqual(expected), 5_000);
    await lease.renew();
    if (next === 'both') await mayGoOn();
  }
  session.abort(new Error('the session has ended'));
  expect(lease.held).toBe(!ends);
  await lease.release();
  expect(getEventListeners(session.signal, 'abort')).toEqual([]);
});

test('a lease ends with the presence, and tells why', async () => {
  const { process, from } = fleet();
  const provider = process('from');
  const locks = createLocks(provider);
  onTestFinished(() => locks.close());
  const lease = await locks.acquire('job', { ttl: 60_000 });
  expect(lease.remaining).toBeLessThan(1_000);
  const operator = createMemoryProvider({ store: from });
  const [holder] = (await operator.inspect(presence('from'))).holders;
  await operator.release({ key: presence('from'), owner: holder?.owner ?? '', ttl: 1_000, mode: 'shared' });
  await vi.waitFor(() => expect(lease.held).toBe(false), 2_000);
  expect(String(lease.signal.reason)).toMatch(/the presence of this process in "from" has ended/);
});
