import { describe, expect, it, onTestFinished } from 'vitest';
import { createLocks, createMemoryProvider, subscribe } from '../../src/index.ts';
import type { Locks } from '../../src/index.ts';
import { createFreeSetting, expectNothingLeft } from '../support/setting.ts';
import { twoProcesses } from '../support/two-processes.ts';
import { VirtualRuntime } from '../support/virtual-runtime.ts';
import { lockError } from '../support/lock-error.ts';
import { collect } from '../../../test-servers/src/support/collect.ts';

const ttl = 1_000;

describe('lease.transfer and locks.resume', () => {
  it('are told: a lease ends here, and goes on elsewhere under the same owner', async () => {
    const { runtime, one, two } = twoProcesses();
    const given = await one.acquire('seat');
    const told: unknown[] = [];
    onTestFinished(subscribe('locks:transfer', (message) => told.push(message)));
    onTestFinished(subscribe('locks:acquire', ({ owner }) => told.push(owner)));
    onTestFinished(subscribe('locks:release', () => told.push('released')));
    await runtime.advance(200);
    const text = await given.transfer();
    const { owner, mode } = given;
    expect(told).toEqual([expect.objectContaining({ key: 'seat', owner, mode, heldFor: 200 })]);
    await two.resume(text);
    expect(told).toContain(owner);
  });

  it('end the lease of the giver without a release', async () => {
    const { runtime, one, two } = twoProcesses();
    const given = await one.acquire('seat');
    const text = await given.transfer();
    expect(await given.release()).toBe(false);
    const message = expect.stringMatching(/was transferred/) as unknown;
    await expect(given.renew()).rejects.toMatchObject({ code: 'LOCK_INVALID', message });
    await expect(given.transfer()).rejects.toMatchObject({ code: 'LOCK_INVALID', message });
    await expectNothingLeft({ runtime, locks: one });
    const lease = await two.resume(text);
    expect(lease.held).toBe(true);
    expect(JSON.stringify(lease)).toContain(`"token":"${given.token}"`);
  });

  it('may be repeated, and keep mode, permits, ttl and the rest of maxHold', async () => {
    const { runtime, one, two } = twoProcesses();
    const first = await one.semaphore('seat', 2).acquire({ ttl: 2_000, maxHold: 3_000 });
    await runtime.advance(1_000);
    const second = await two.resume(await first.transfer());
    expect([second.mode, second.remaining]).toEqual(['shared', 1_978]);
    const third = await one.resume(await second.transfer());
    await runtime.advance(1_900);
    expect([third.token, third.held]).toEqual([first.token, true]);
    await runtime.advance(200);
    expect(third.held).toBe(false);
    const plain = await one.acquire('other', { renew: false });
    const resumed = await two.resume(await plain.transfer());
    await runtime.advance(1_100);
    expect(resumed.held).toBe(false);
  });

  it('are refused once the lease was released, lost, or is too old', async () => {
    const { runtime, one, two } = twoProcesses();
    const text = await (await one.acquire('seat')).transfer();
    await (await two.resume(text)).release();
    await expect(two.resume(text)).rejects.toMatchObject({ code: 'LOCK_LOST' });
    const old = await (await one.acquire('seat')).transfer();
    await runtime.advance(1_001);
    await expect(two.resume(old)).rejects.toMatchObject({ code: 'LOCK_LOST' });
    const forced = await (await one.acquire('seat')).transfer();
    await two.forceRelease((await two.inspect('seat')).holders[0]!);
    await expect(two.resume(forced)).rejects.toMatchObject({ code: 'LOCK_LOST' });
    const released = await one.acquire('seat');
    await released.release();
    await expect(released.transfer()).rejects.toMatchObject({ code: 'LOCK_INVALID' });
    const lost = await one.acquire('seat', { renew: false });
    await runtime.advance(1_001);
    await expect(lost.transfer()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await runtime.advance(10);
    expect(await collect(two.list())).toEqual([]);
  });

  it('work inside of withLock, whose work goes on without the lease', async () => {
    const { one, two } = twoProcesses();
    const text = await one.withLock('seat', (lease) => lease.transfer());
    expect((await two.resume(text)).held).toBe(true);
    expect(await one.tryAcquire('seat')).toBeNull();
  });

  it('are refused for several keys or permits, several holds, sessions, and other text', async () => {
    const { one } = twoProcesses();
    const invalid = { code: 'LOCK_INVALID' };
    await expect((await one.multiLock(['a', 'b']).acquire()).transfer()).rejects.toMatchObject(invalid);
    await expect((await one.semaphore('c', 2).take(2).acquire()).transfer()).rejects.toMatchObject(invalid);
    await one.withLock('seat', { reentrant: true }, async (outer) => {
      await one.withLock('seat', { reentrant: true }, async (inner) => {
        await expect(inner.transfer()).rejects.toMatchObject(invalid);
      });
      expect(await outer.transfer()).toMatch(/^[\w-]+$/);
    });
    for (const text of ['', 'nonsense', Buffer.from('{"version":2}').toString('base64url'), 5 as never]) {
      await expect(one.resume(text)).rejects.toMatchObject(lockError('LOCK_INVALID', 'transfer()'));
    }
    const { locks } = createFreeSetting({ traits: { expiry: 'session' } });
    const lease = await locks.acquire('seat', { ttl });
    await expect(lease.transfer()).rejects.toMatchObject(lockError('LOCK_INVALID', 'trait "expiry"'));
    expect(lease.held).toBe(true);
  });
});

/** The text of a lease in which one thing is changed. */
async function changedText(change: Readonly<Record<string, unknown>>): Promise<readonly [Locks, string, string]> {
  const runtime = new VirtualRuntime();
  const locks = createLocks(createMemoryProvider({ runtime }), { runtime, ttl });
  const text = await (await locks.acquire('seat', { mode: 'shared', permits: 2 })).transfer();
  const record = JSON.parse(Buffer.from(text, 'base64url').toString()) as object;
  return [locks, text, Buffer.from(JSON.stringify({ ...record, ...change })).toString('base64url')];
}

it.each<[Readonly<Record<string, unknown>>]>([
  [{ token: '9007199254740991' }],
  [{ token: '1' }],
  [{ token: '-1' }],
  [{ token: '0x10' }],
  [{ ttl: 49 }],
  [{ ttl: 86_400_001 }],
  [{ ttl: 1e308 }],
  [{ ttl: 100.5 }],
  [{ permits: 0 }],
  [{ left: -1 }],
  [{ rest: { lockDelay: -1, atLeast: 0 } }],
  [{ rest: { lockDelay: 0, atLeast: 1e12 } }],
  [{ key: '' }],
  [{ owner: 'a b' }],
])('a text in which something was changed is refused, and takes nothing away: %j', async (change) => {
  const [locks, text, changed] = await changedText(change);
  await expect(locks.resume(changed)).rejects.toMatchObject({ code: 'LOCK_INVALID' });
  expect((await locks.resume(text)).held).toBe(true);
});
