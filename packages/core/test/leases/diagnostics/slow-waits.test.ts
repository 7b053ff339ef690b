import { channel } from 'node:diagnostics_channel';
import { listen } from '../../support/listen.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { twoProcesses } from '../../support/two-processes.ts';
import { createSetting, watch, well } from '../../support/setting.ts';

describe('locks:slow', () => {
  it('tells once of a wait beyond slowWait, and who holds the key', async () => {
    const { runtime, one, two } = twoProcesses({ slowWait: '2s' });
    const messages = listen('locks:slow');
    const holder = await one.acquire('key');
    const waiting = watch(two.acquire('key'), runtime);
    await runtime.advance(2_000);
    expect(messages).toEqual([]);
    await runtime.advance(1_000);
    const [label] = holder.owner.split('/');
    expect(messages).toEqual([
      expect.objectContaining({ key: 'key', mode: 'exclusive', reason: 'threshold', by: [label] }),
    ]);
    expect(messages[0]?.waited).toBeGreaterThan(2_000);
    expect(messages[0]?.waited).toBeLessThan(2_010);
    expect(messages[0]).not.toHaveProperty('longestHold');
    await runtime.advance(20_000);
    await holder.release();
    await runtime.advance(100);
    expect(waiting.value?.owner).toBe(messages[0]?.owner);
    expect(messages).toHaveLength(1);
  });

  it('tells of a wait that is longer than the longest hold so far', async () => {
    const { runtime, one, two } = twoProcesses({ slowWait: 60_000 });
    const messages = listen('locks:slow');
    for (const ms of [3_000, 1_500]) {
      const lease = await two.acquire('key');
      await runtime.advance(ms);
      await lease.release();
    }
    const hung = await one.acquire('key');
    watch(two.acquire('key'), runtime);
    await runtime.advance(3_000);
    expect(messages).toEqual([]);
    await runtime.advance(10);
    expect(messages).toEqual([expect.objectContaining({ reason: 'longest hold', longestHold: 3_000 })]);
    await hung.release();
    await runtime.advance(100);
    expect(messages).toHaveLength(1);
  });

  it('says nothing of waits behind short holds, and of those that have ended', async () => {
    const { runtime, one, two } = twoProcesses({ slowWait: 5_000 });
    const messages = listen('locks:slow');
    await (await two.acquire('key')).release();
    const lease = await one.acquire('key');
    const waits = [watch(two.acquire('key'), runtime), watch(two.acquire('key', { wait: 900 }), runtime)];
    await runtime.advance(950);
    await lease.release();
    await runtime.advance(100);
    expect(waits.map(({ state }) => state)).toEqual(['fulfilled', 'rejected']);
    await runtime.advance(20_000);
    expect(messages).toEqual([]);
  });

  it('does nothing without a listener', async () => {
    const { runtime, one, two } = twoProcesses({ slowWait: 100 });
    const publish = vi.fn();
    Object.defineProperty(channel('locks:slow'), 'publish', { configurable: true, value: publish });
    onTestFinished(() => void Reflect.deleteProperty(channel('locks:slow'), 'publish'));
    await one.acquire('key');
    watch(two.acquire('key', { wait: 5_000 }), runtime);
    await runtime.advance(6_000);
    expect(publish).not.toHaveBeenCalled();
  });

  it('tells by what the claim was woken, as each wake does', async () => {
    const { runtime, provider, locks } = createSetting({ slowWait: 2_000, answers: { ...well } });
    const messages = listen('locks:slow');
    const woken = listen('locks:woken');
    provider.answers.tryAcquire = (call) => call.busy(60_000);
    watch(locks.acquire('key', { wait: 10_000 }), runtime);
    await runtime.advance(0);
    for (const by of ['message', undefined, 'gap', 'message'] as const) {
      provider.attempts.at(-1)?.wake?.(by);
      await runtime.advance(10);
    }
    await runtime.advance(2_000);
    expect(messages).toEqual([expect.objectContaining({ reason: 'threshold', wokenBy: ['message', 'gap'] })]);
    const about = { provider: 'scripted', key: 'key', owner: messages[0]?.owner, mode: 'exclusive' };
    expect(woken).toEqual([{ ...about, by: 'message' }, about, { ...about, by: 'gap' }, { ...about, by: 'message' }]);
    expect(provider.attempts).toHaveLength(5);
  });
});
