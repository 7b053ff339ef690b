import { describe, expect, test } from 'vitest';
import { LockError } from '../../../src/adapter/index.ts';
import { QueueSetting, busy, claimOf, refresh, timeout } from '../../support/queue-setting.ts';
import { watch } from '../../support/setting.ts';

describe('a queue that looks until a listener hears', () => {
  const create = (prompt = true): QueueSetting => new QueueSetting({ look: true, prompt });

  test('looks from the first claim on, and no more once a message has arrived', async () => {
    const setting = create();
    await setting.acquire('a');
    await setting.runtime.advance(100);
    expect(setting.looks.length).toBeGreaterThan(2);
    setting.latest.heard();
    const { length } = setting.looks;
    await setting.acquire('a');
    await setting.runtime.advance(1_000);
    expect([setting.looks.length, setting.reports]).toEqual([length, ['listening']]);
  });

  test('never looks where a message arrives before the listener is told to be open', async () => {
    const setting = create(false);
    const call = setting.acquire('a');
    await setting.runtime.advance(1);
    setting.latest.heard();
    setting.latest.accept();
    expect(await call).toEqual(busy);
    await setting.runtime.advance(1_000);
    expect([setting.looks, setting.reports]).toEqual([[], ['listening']]);
  });

  test('tries no other attempt outside the queue before it opens its first listener, if the cheaper one was made', async () => {
    const setting = new QueueSetting({
      look: true,
      tryFree: ({ owner }) => (owner.startsWith('shared') ? undefined : Promise.resolve(undefined)),
      prompt: false,
    });
    void setting.acquire('a');
    void setting.acquire('shared', 'other');
    await setting.runtime.advance(1);
    expect(setting.attempted()).toEqual(['shared alone']);
    setting.latest.accept();
    await setting.runtime.advance(1);
    expect(setting.attempted()).toEqual(['a', 'shared']);
  });

  test('waits a moment for its first listener, and then lets claims into the queue without', async () => {
    const setting = create(false);
    const call = watch(setting.acquire('a'));
    await setting.runtime.advance(249);
    expect(setting.attempted()).toEqual(['a alone']);
    await setting.runtime.advance(33);
    expect([setting.attempted(), call.value]).toEqual([['a'], busy]);
    expect(await setting.acquire('b')).toEqual(busy);
    expect(setting.attempted()).toEqual(['b']);
    await setting.runtime.advance(25);
    expect(setting.looks).toHaveLength(1);
  });

  test('looks where a listener is refused, whatever the reason, and tries others', async () => {
    const setting = create(false);
    const refused = new LockError('LOCK_MISCONFIGURED', 'no LISTEN');
    const call = setting.acquire('a');
    await setting.runtime.advance(1);
    setting.latest.refuse(refused);
    expect(await call).toEqual(busy);
    expect(setting.reports).toEqual([['polling', refused]]);
    setting.prompt = true;
    setting.turns = async () => ['a'];
    await setting.runtime.advance(25);
    expect([setting.looks.length, setting.wakes]).toEqual([1, ['a']]);
    await setting.runtime.advance(25);
    expect(setting.opened).toHaveLength(2);
  });

  test('looks after a loss, lets claims into the queue meanwhile, and pauses at most 5 s between listeners', async () => {
    const setting = create();
    await setting.acquire('a');
    setting.latest.heard();
    setting.prompt = false;
    const reason = new Error('connection closed');
    setting.latest.lost(reason);
    expect(setting.reports).toEqual(['listening', ['polling', reason]]);
    await setting.runtime.advance(25);
    expect(setting.looks).toHaveLength(1);
    setting.attempted();
    expect(await setting.acquire('b')).toEqual(busy);
    expect(setting.attempted()).toEqual(['b']);
    let pause = 0;
    for (let round = 0; round < 10; round += 1) {
      const { length } = setting.opened;
      const since = setting.runtime.time;
      while (setting.opened.length === length) await setting.runtime.advance(1);
      pause = setting.runtime.time - since;
      setting.latest.refuse(reason);
    }
    expect(pause).toBe(5_000);
    setting.prompt = true;
    setting.wakes.length = 0;
    await setting.runtime.advance(5_000);
    expect(setting.wakes).toEqual(['a', 'b']);
    const { length } = setting.looks;
    setting.latest.heard('b');
    await setting.runtime.advance(1_000);
    expect(setting.looks).toHaveLength(length);
  });

  test('replaces a listener that does not answer a probe, and looks until then', async () => {
    const setting = create();
    await setting.acquire('a');
    setting.latest.heard();
    setting.probe = () => new Promise(() => {});
    await setting.runtime.advance(refresh);
    await setting.acquire('a');
    await setting.runtime.advance(timeout + 32 + 25);
    expect(setting.opened[0]?.closed).toBe(1);
    expect(setting.looks.length).toBeGreaterThan(0);
  });
});

describe('a queue that looks beside a listener', () => {
  const hearing = async (): Promise<QueueSetting> => {
    const setting = new QueueSetting({ look: true, heardInterval: 100 });
    await setting.acquire('a');
    await setting.runtime.advance(0);
    setting.latest.heard();
    await setting.runtime.advance(0);
    setting.looks.length = 0;
    return setting;
  };

  test('looks at its own pace, and at once when a message has no owner', async () => {
    const setting = await hearing();
    await setting.runtime.advance(300);
    expect(setting.looks).toHaveLength(3);
    setting.turns = async () => ['a'];
    setting.wakes.length = 0;
    setting.latest.heard();
    await setting.runtime.advance(0);
    expect([setting.looks.length, setting.wakes]).toEqual([4, ['a']]);
    await setting.runtime.advance(99);
    expect(setting.looks).toHaveLength(4);
  });

  test('looks once more after a message that came during a look', async () => {
    const setting = await hearing();
    let answer!: (owners: readonly string[]) => void;
    setting.turns = () => new Promise((resolve) => (answer = resolve));
    setting.latest.heard();
    setting.latest.heard();
    setting.latest.heard();
    expect(setting.looks).toHaveLength(1);
    answer([]);
    await setting.runtime.advance(0);
    expect(setting.looks).toHaveLength(2);
    answer([]);
    await setting.runtime.advance(99);
    expect(setting.looks).toHaveLength(2);
  });

  test('looks at the quicker pace again once the listener is lost', async () => {
    const setting = await hearing();
    setting.latest.lost(new Error('gone'));
    await setting.runtime.advance(49);
    expect(setting.looks).toHaveLength(1);
  });

  test('looks no more once no claim waits, or it is closed', async () => {
    const setting = await hearing();
    setting.queue.leave(claimOf('a'));
    setting.latest.heard();
    await setting.runtime.advance(300);
    expect(setting.looks).toHaveLength(0);
    await setting.acquire('b');
    setting.queue.close(new LockError('LOCK_CLOSED', 'closed'));
    setting.latest.heard();
    await setting.runtime.advance(timeout);
    expect([setting.looks.length, setting.runtime.pendingTimers]).toEqual([0, 0]);
  });
});
