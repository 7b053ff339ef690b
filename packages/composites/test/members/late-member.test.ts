import { describe, expect, it, onTestFinished } from 'vitest';
import { LockError, createMemoryProvider, createMemoryStore, openLocks } from '../../../core/src/index.ts';
import type { AdapterConfig, LockProvider, Traits } from '../../../core/src/index.ts';
import { LateMember } from '../../src/members/late-member.ts';
import { settle, VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { collect } from '../../../test-servers/src/support/collect.ts';
import { refused, setting } from '../support/late-members.ts';
import { misconfigured, refusal } from '../../../core/test/support/lock-error.ts';

describe('a member that opens later', () => {
  it('is named with its reason when too few others answer', async () => {
    const { second, third, open } = setting();
    third.down = refused('connect ECONNREFUSED 10.0.0.3:6379');
    const locks = await open();
    second.lost = refused('connection reset');
    const told =
      '2 of 3 members gave no usable answer, and 2 are needed. member 2 of 3 (memory): connection reset member 3 of 3 (adapter): It is not open yet: connect ECONNREFUSED 10.0.0.3:6379';
    expect(await refusal(locks.inspect('key'))).toMatchObject({ code: 'LOCK_UNAVAILABLE', message: told });
    expect(await refusal(locks.tryAcquire('key'))).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      cause: { message: told },
    });
  });

  it('keeps the contract until it is open, and passes all calls through then', async () => {
    const runtime = new VirtualRuntime();
    const store = createMemoryStore({ runtime });
    const reasons: unknown[] = [];
    const down = refused('connect ECONNREFUSED');
    let answer = (): Promise<LockProvider> => Promise.reject(down);
    const { traits } = createMemoryProvider();
    const open = (): Promise<LockProvider> => answer();
    const member = new LateMember({ name: 'redis', traits, open, runtime });
    member.follow((reason) => reasons.push(reason));
    const claim = { key: 'key', owner: 'me/1', ttl: 1_000, mode: 'exclusive' } as const;
    const calls = [
      () => member.tryAcquire(claim, () => {}),
      () => member.renew(claim),
      () => member.release(claim),
      () => member.inspect('key'),
      () => collect(member.list('')),
    ];
    member.begin(open(), () => undefined);
    await settle();
    for (const call of calls) {
      expect(await refusal(call())).toMatchObject({
        code: 'LOCK_UNAVAILABLE',
        message: 'It is not open yet: connect ECONNREFUSED',
        cause: down,
        sent: false,
      });
    }
    expect(member.outage()).toBe(down);
    answer = () => Promise.reject(new LockError('LOCK_MISCONFIGURED', 'WRONGPASS'));
    await runtime.advance(1_000);
    for (const call of calls) {
      expect(await refusal(call())).toMatchObject({ code: 'LOCK_MISCONFIGURED', sent: false });
    }
    const provider = createMemoryProvider({ store, runtime });
    answer = () => Promise.resolve(provider);
    await runtime.advance(3_000);
    expect(member.outage()).toBeUndefined();
    expect(member.traits).toBe(provider.traits);
    expect(await member.tryAcquire(claim)).toMatchObject({ granted: true });
    expect(await member.renew(claim, 2n ** 52n)).toBeTruthy();
    expect((await member.inspect('key')).holders).toMatchObject([{ owner: 'me/1', token: 2n ** 52n }]);
    expect(await collect(member.list(''))).toEqual(['key']);
    let woken = 0;
    const other = { ...claim, owner: 'me/2' };
    expect(await member.tryAcquire(other, () => (woken += 1))).toMatchObject({ granted: false });
    expect(await member.release(claim)).toBe(true);
    await runtime.advance(1);
    expect(woken).toBe(1);
    expect(reasons).toEqual([down, expect.objectContaining({ message: 'WRONGPASS' }), undefined]);
    await member.close();
    for (const call of calls) expect(await refusal(call())).toMatchObject({ code: 'LOCK_CLOSED' });
  });

  it('that never opened is closed as any other', async () => {
    const runtime = new VirtualRuntime();
    const { traits } = createMemoryProvider();
    const open = (): Promise<LockProvider> => Promise.reject(refused());
    const member = new LateMember({ name: 'redis', traits, open, runtime });
    member.begin(open(), () => undefined);
    await settle();
    await Promise.all([member.close(), member.close()]);
    expect(runtime.pendingTimers).toBe(0);
    expect(await refusal(member.inspect('key'))).toMatchObject({ code: 'LOCK_CLOSED' });
  });

  it('is an outage, and not one for ever, where its server refuses the password by then', async () => {
    const { runtime, third, messages, open } = setting();
    third.down = refused();
    const locks = await open();
    third.down = new LockError('LOCK_MISCONFIGURED', 'WRONGPASS');
    await runtime.advance(3_000);
    expect(messages.map(({ error }) => (error as Error).message)).toEqual(['connect ECONNREFUSED', 'WRONGPASS']);
    await locks.withLock('key', () => {});
    third.down = undefined;
    await runtime.advance(3_000);
    expect(third.opened).toBe(1);
  });

  it.each<[string, Partial<Traits>]>([
    ['scope', { scope: 'network' }],
    ['fencing', { fencing: 'strict' }],
  ])('stays out where the composite would lose in %s', async (name, others) => {
    const { runtime, third, messages, open } = setting(others, others, {});
    third.down = refused();
    const locks = await open({}, { requires: others });
    third.down = undefined;
    await runtime.advance(3_000);
    expect(messages.at(-1)).toMatchObject({
      member: 'member 3 of 3 (adapter)',
      suspect: true,
      error: misconfigured(new RegExp(`would lack what it was opened with: ${name}: .* It stays out until`)),
    });
    expect(third).toMatchObject({ opened: 1, closed: 1 });
    await runtime.advance(60_000);
    expect(third.opened).toBe(1);
    expect(locks.traits).toMatchObject(others);
    await locks.withLock('key', () => {});
  });

  it('joins where it can more than the others', async () => {
    const { runtime, third, open } = setting({ fair: false }, {}, { fencing: 'strict' });
    third.down = refused();
    const locks = await open();
    third.down = undefined;
    await runtime.advance(3_000);
    expect(third).toMatchObject({ opened: 1, closed: 0 });
    expect(locks.traits).toMatchObject({ fair: false, fencing: 'clock-bounded' });
  });

  it('has the expiry of another member with its adapter until it opens', async () => {
    const { runtime, first, second, config } = setting({ expiry: 'session' });
    let down = true;
    const twin = {
      fromConfig: async (given: AdapterConfig): Promise<LockProvider> => {
        if (down && given.url === 'x://late') throw refused();
        return await first.fromConfig(given);
      },
    };
    const members = [{ provider: twin, url: 'x://late' }, { provider: second }, { provider: twin, url: 'x://early' }];
    const locks = await openLocks(config({ members }));
    onTestFinished(() => locks.close());
    expect(locks.traits.expiry).toBe('session');
    down = false;
    await runtime.advance(3_000);
    expect(first).toMatchObject({ opened: 2, closed: 0 });
  });

  it('is not opened any more after close', async () => {
    const { runtime, first, second, third, open } = setting();
    third.down = refused();
    const locks = await open();
    await runtime.advance(1_000);
    await locks.close();
    third.down = undefined;
    await runtime.advance(60_000);
    expect([first.closed, second.closed, third.opened]).toEqual([1, 1, 0]);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('is closed when it opens after close, which waits a member timeout for it', async () => {
    const { runtime, third, open } = setting();
    third.hangs = new Promise((resolve) => void runtime.setTimer(resolve, 3_000, false));
    const opening = open();
    await runtime.advance(500);
    const locks = await opening;
    let isClosed = false;
    const closing = locks.close().then(() => (isClosed = true));
    await runtime.advance(499);
    expect(isClosed).toBe(false);
    await runtime.advance(1);
    await closing;
    expect(third).toMatchObject({ opened: 0, closed: 0 });
    await runtime.advance(3_000);
    expect(third).toMatchObject({ opened: 1, closed: 1 });
  });
});
