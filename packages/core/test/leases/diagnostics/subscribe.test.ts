import { once } from 'node:events';
import { channel } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider, subscribe } from '../../../src/index.ts';
import type { LostMessage, ReleaseMessage, Subscription } from '../../../src/index.ts';
import { createFreeSetting } from '../../support/setting.ts';
import { settle } from '../../support/virtual-runtime.ts';

const subscriptions: Subscription[] = [];

afterEach(() => {
  for (const end of subscriptions.splice(0)) end();
});

describe('subscribe', () => {
  it('hands on the messages of a channel, typed, until it is called off', async () => {
    const { runtime, locks } = createFreeSetting({ ttl: 1_000 });
    const messages: ReleaseMessage[] = [];
    const end = subscribe('locks:release', (message) => messages.push(message));
    subscriptions.push(end);
    const lease = await locks.acquire('key');
    await runtime.advance(70);
    await lease.release();
    end();
    end();
    await (await locks.acquire('key')).release();
    expect(messages).toEqual([
      { provider: 'scripted', key: 'key', owner: lease.owner, mode: 'exclusive', freed: true, heldFor: 70 },
    ]);
  });

  it('ends with its block', async () => {
    const { locks } = createFreeSetting();
    const keys: string[] = [];
    {
      using _ = subscribe('locks:acquire', ({ key }) => void keys.push(key));
      await locks.acquire('inside');
    }
    await locks.acquire('outside');
    expect(keys).toEqual(['inside']);
    expect(channel('locks:acquire').hasSubscribers).toBe(false);
  });

  it.each<[string, (message: LostMessage) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no metrics');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no metrics'))],
  ])('turns the error of a listener that %s into a warning', async (_what, listener) => {
    const { locks } = createFreeSetting({ answers: { renew: (call) => call.answer(false) } });
    subscriptions.push(subscribe('locks:lost', listener));
    const others: LostMessage[] = [];
    subscriptions.push(subscribe('locks:lost', (message) => others.push(message)));
    const warned = once(process, 'warning');
    const lease = await locks.acquire('key');
    await expect(lease.renew()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await settle();
    expect(lease.signal.aborted).toBe(true);
    expect(others).toHaveLength(1);
    const [warning] = (await warned) as [Error & { code: string; detail: string }];
    expect(warning).toMatchObject({ code: 'LOCKS_LISTENER', message: 'A listener of "locks:lost" failed.' });
    expect(warning.detail).toContain('no metrics');
  });

  it('takes the channels of adapters', () => {
    const messages: unknown[] = [];
    subscriptions.push(subscribe('locks:mine' as never, (message: unknown) => messages.push(message)));
    channel('locks:mine').publish({ provider: 'mine' });
    expect(messages).toEqual([{ provider: 'mine' }]);
  });

  it('refuses other channels, and listeners that cannot be called', () => {
    expect(() => subscribe('release' as never, () => {})).toThrow(
      expect.objectContaining({
        code: 'LOCK_INVALID',
        message: 'subscribe(channel, listener): "channel" must be a name such as "locks:lost", not "release".',
      }),
    );
    expect(() => subscribe('locks:lost', 5 as never)).toThrow(
      expect.objectContaining({
        code: 'LOCK_INVALID',
        message: 'subscribe("locks:lost", listener): "listener" must be a function, not 5.',
      }),
    );
  });

  it('tells of all Locks of the process', async () => {
    const all = [createLocks(createMemoryProvider()), createLocks(createMemoryProvider())];
    const waits: number[] = [];
    subscriptions.push(subscribe('locks:acquire', ({ waited }) => waits.push(waited)));
    for (const locks of all) await locks.withLock('key', () => {});
    expect(waits).toEqual([expect.any(Number), expect.any(Number)]);
  });
});
