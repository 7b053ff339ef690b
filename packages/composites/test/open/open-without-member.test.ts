import { describe, expect, it } from 'vitest';
import { LockError, openLocks } from '../../../core/src/index.ts';
import type { AdapterConfig } from '../../../core/src/index.ts';
import { standIn } from '../../../core/test/support/stand-in.ts';
import { settle } from '../../../core/test/support/virtual-runtime.ts';
import { type Adapter, refused, setting } from '../support/late-members.ts';
import { refusal } from '../../../core/test/support/lock-error.ts';

describe('a composite in configuration', () => {
  it.each([0, 1, 2])('opens without member %i, which joins once its server answers', async (dead) => {
    const { runtime, first, second, third, messages, open } = setting();
    const adapters = [first, second, third];
    const late = adapters[dead] as Adapter;
    late.down = refused();
    const locks = await open();
    expect(locks.traits).toMatchObject({ scope: 'process', fair: true, wake: true });
    await locks.withLock('key', () => {});
    const member = `member ${dead + 1} of 3 (adapter)`;
    expect(messages).toEqual([
      { provider: 'combine', member, index: dead, state: 'refuses', suspect: true, error: late.down },
    ]);
    await runtime.advance(20_000);
    expect(messages).toHaveLength(1);
    late.down = undefined;
    await runtime.advance(3_000);
    expect(messages.slice(1)).toEqual([{ provider: 'combine', member, index: dead, state: 'answers', suspect: false }]);
    expect(late.opened).toBe(1);
    // Its vote is needed now.
    (adapters[(dead + 1) % 3] as Adapter).lost = refused();
    expect(await locks.withLock('key', () => 'done')).toBe('done');
  });

  it('tries again more and more rarely, and never keeps the process alive', async () => {
    const { runtime, third, open } = setting();
    let attempts = 0;
    const { fromConfig } = third;
    Object.assign(third, {
      fromConfig: (config: AdapterConfig) => {
        attempts += 1;
        return fromConfig(config);
      },
    });
    third.down = refused();
    await open();
    await runtime.advance(1_000);
    expect(attempts).toBeGreaterThan(3);
    expect(runtime.keepAliveTimers).toBe(0);
    const early = attempts;
    await runtime.advance(60_000);
    expect(attempts - early).toBeGreaterThan(60 / 3 - 2);
    expect(attempts - early).toBeLessThan(60 / 1.5 + 2);
  });

  it('waits a moment for a member that is only slower than the others', async () => {
    const { runtime, second, open, messages } = setting();
    second.hangs = new Promise((resolve) => void runtime.setTimer(resolve, 300, false));
    const opening = open();
    await runtime.advance(300);
    expect(second.opened).toBe(1);
    await opening;
    expect(messages).toEqual([]);
  });

  it('does not wait longer than memberTimeout', async () => {
    const { runtime, second, open, messages } = setting();
    second.hangs = new Promise((resolve) => void runtime.setTimer(resolve, 3_000, false));
    const opening = open({ memberTimeout: 400 });
    await runtime.advance(399);
    let isOpen = false;
    void opening.then(() => (isOpen = true));
    await settle();
    expect(isOpen).toBe(false);
    await runtime.advance(1);
    const locks = await opening;
    await locks.withLock('key', () => {});
    await runtime.advance(3_000);
    expect(second.opened).toBe(1);
    const about = { provider: 'combine', member: 'member 2 of 3 (adapter)', index: 1 };
    const error = expect.objectContaining({ message: 'it is being opened' }) as Error;
    expect(messages).toEqual([
      { ...about, state: 'refuses', suspect: true, error },
      { ...about, state: 'answers', suspect: false },
    ]);
  });

  it('does not open when too few answer: it names each of those, and closes the others', async () => {
    const { first, second, third, config } = setting();
    first.down = refused('connect ECONNREFUSED one');
    third.down = refused('connect ECONNREFUSED three');
    const error = await refusal(openLocks(config()));
    expect(error).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message:
        '2 of 3 members did not open, and 2 are needed. member 1 of 3 (adapter): connect ECONNREFUSED one member 3 of 3 (adapter): connect ECONNREFUSED three',
      cause: { errors: [{ cause: first.down }, { cause: third.down }] },
    });
    expect(second).toMatchObject({ opened: 1, closed: 1 });
  });

  it('with "all" does not open without one of them', async () => {
    const { first, second, third, config } = setting();
    second.down = refused();
    const error = await refusal(openLocks(config({ need: 'all' })));
    expect(error.message).toMatch(/^1 of 3 members did not open, and 3 are needed\. member 2 of 3/);
    expect([first.closed, third.closed]).toEqual([1, 1]);
  });

  it('names a member that has not answered yet, and closes it when it opens', async () => {
    const { runtime, first, second, third, config } = setting();
    first.down = refused();
    second.down = refused();
    third.hangs = new Promise((resolve) => void runtime.setTimer(resolve, 3_000, false));
    const opening = refusal(openLocks(config()));
    await runtime.advance(500);
    expect((await opening).message).toContain('member 3 of 3 (adapter): no answer yet.');
    await runtime.advance(3_000);
    expect(third).toMatchObject({ opened: 1, closed: 1 });
  });

  it('fails at once when the configuration of a member is wrong, and closes the others', async () => {
    const { runtime, first, second, third, config } = setting();
    first.hangs = new Promise((resolve) => void runtime.setTimer(resolve, 3_000, false));
    third.down = new LockError('LOCK_MISCONFIGURED', 'Redis refuses the connection: WRONGPASS.');
    const error = await refusal(openLocks(config()));
    expect(error).toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: 'member 3 of 3 (adapter): Redis refuses the connection: WRONGPASS.',
      cause: third.down,
    });
    expect(second.closed).toBe(1);
    await runtime.advance(3_000);
    expect(first).toMatchObject({ opened: 1, closed: 1 });
  });

  it('takes an adapter that fails to load for a mistake, not for an outage', async () => {
    await standIn({ 'package.json': '{"type":"module"}', 'broken.js': 'throw new Error("broken inside")' });
    const { first, second, config } = setting();
    const members = [{ provider: first }, { provider: second }, { provider: './broken.js' }];
    expect(await refusal(openLocks(config({ members })))).toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message:
        'member 3 of 3 (./broken.js): openLocks: module "./broken.js" threw when it was imported; see the cause.',
    });
    expect([first.opened, second.opened]).toEqual([first.closed, second.closed]);
  });

  it('closes everything when "requires" is not met', async () => {
    const { runtime, first, second, third, config } = setting();
    third.down = refused();
    await expect(openLocks(config({}, { requires: { scope: 'network' } }))).rejects.toThrow('scope: network');
    expect([first.closed, second.closed]).toEqual([1, 1]);
    third.down = undefined;
    await runtime.advance(60_000);
    expect(third.opened).toBe(0);
  });
});
