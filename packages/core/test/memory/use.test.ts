import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createDeadline } from '../../src/adapter/index.ts';
import { createSetting } from '../support/setting.ts';
import type { Setting } from '../support/setting.ts';
import { freeAtOnce, renewAtOnce } from '../support/scripted-provider.ts';
import { VirtualRuntime, settle } from '../support/virtual-runtime.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What ends a lease. */
const ends: Record<string, (setting: Setting, reference: WeakRef<object>, session: AbortController) => Promise<void>> =
  {
    async released(_, reference) {
      await (reference.deref() as AsyncDisposable | undefined)?.[Symbol.asyncDispose]();
    },
    async lost({ runtime, provider }) {
      provider.answers.renew = (call) => call.answer(false);
      await runtime.advance(1_000);
    },
    async lapsed({ runtime, provider }) {
      delete provider.answers.renew;
      await runtime.advance(2_000);
      for (const call of provider.renewals) if (!call.settled) call.answer({});
      await settle();
    },
    async 'lost with its session'(_, __, session) {
      session.abort();
      await settle();
    },
  };

describe('a lease', () => {
  it.each(Object.keys(ends))('is not kept in memory once it is %s', async (end) => {
    const setting = createSetting({ answers: { renew: renewAtOnce, release: freeAtOnce } });
    const { provider, locks } = setting;
    const session = new AbortController();
    provider.answers.tryAcquire = (call) => call.grant({ lost: session.signal });
    const reference = new WeakRef<object>(await locks.acquire('key', { ttl: 1_000 }));
    await setting.runtime.advance(500);
    collectGarbage();
    expect(reference.deref() === undefined).toBe(false);
    await ends[end]?.(setting, reference, session);
    await settle();
    expect(provider.releases).toHaveLength(1);
    // The script of the test keeps what it was called with.
    provider.calls.length = 0;
    collectGarbage();
    expect(reference.deref() === undefined).toBe(true);
  });
});

describe('the repetition of a release', () => {
  it('leaves nothing of its pauses', async () => {
    const { runtime, provider, take } = createSetting();
    const setTimer = runtime.setTimer.bind(runtime);
    const timers: WeakRef<object>[] = [];
    const lease = await take('key', { ttl: 1_000, renew: false });
    runtime.setTimer = (...timer) => {
      const handle = setTimer(...timer);
      timers.push(new WeakRef(Object(handle) as object));
      return handle;
    };
    provider.answers.release = (call) => (provider.releases.length < 5 ? call.reject() : call.answer(true));
    await lease[Symbol.asyncDispose]();
    await runtime.advance(2_000);
    expect(provider.releases).toHaveLength(5);
    expect(timers.length).toBeGreaterThan(1);
    collectGarbage();
    expect(timers.filter((timer) => timer.deref() !== undefined)).toHaveLength(0);
  });
});

describe('a call under a deadline', () => {
  it.each(['answered', 'rejected'])('is not kept in memory once it is %s', async (end) => {
    const runtime = new VirtualRuntime();
    const deadline = createDeadline(runtime, 60_000, 'scripted');
    const race = async (): Promise<WeakRef<object>> => {
      const raced = deadline.race(end === 'answered' ? Promise.resolve(1) : Promise.reject(new Error('no')), 'GET');
      await raced.catch(() => {});
      return new WeakRef(raced);
    };
    const reference = await race();
    await settle();
    collectGarbage();
    expect(runtime.pendingTimers).toBe(1);
    expect(reference.deref() === undefined).toBe(true);
  });
});
