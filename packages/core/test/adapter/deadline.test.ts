import { describe, expect, it } from 'vitest';
import { LockError, createDeadline } from '../../src/adapter/index.ts';
import type { RacedCall } from '../../src/adapter/index.ts';
import { createDeferred } from '../../src/time/deferred.ts';
import { watch } from '../support/setting.ts';
import { VirtualRuntime, settle } from '../support/virtual-runtime.ts';

function createSetting(timeout = 1_000) {
  const runtime = new VirtualRuntime();
  return { runtime, start: runtime.time, deadline: createDeadline(runtime, timeout, 'scripted') };
}

describe('a deadline', () => {
  it('answers what the call answers', async () => {
    const { runtime, deadline } = createSetting();
    expect(await deadline.race(Promise.resolve(7), 'PING')).toBe(7);
    const error = new Error('connection lost');
    await expect(deadline.race(Promise.reject(error), 'PING')).rejects.toBe(error);
    await runtime.advance(5_000);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('takes a function that starts the call, also from the one that mends it', async () => {
    const { runtime, deadline } = createSetting();
    const start: RacedCall<number> = (outcome) => outcome.failed('once');
    const mend = (error: unknown): RacedCall<number> => {
      expect(error).toBe('once');
      return (outcome) => outcome.answered(7);
    };
    expect(await deadline.race(start, 'GET', undefined, mend)).toBe(7);
    await expect(deadline.race(start, 'GET')).rejects.toBe('once');
    await runtime.advance(5_000);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('rejects with LOCK_UNAVAILABLE after the timeout, not before, and 16 ms later at most', async () => {
    const { runtime, deadline } = createSetting();
    // The buckets of 16 ms begin at 0.
    runtime.block(5);
    const raced = watch(deadline.race(new Promise(() => {}), 'EVALSHA'), runtime);
    await runtime.advance(999);
    expect(raced.state).toBe('open');
    await runtime.advance(17);
    expect(raced.error).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: 'scripted did not answer EVALSHA within 1000 ms.',
    });
    expect(raced.took).toBeGreaterThanOrEqual(1_000);
  });

  it('says why the backend is silent, where that is known at the end', async () => {
    const runtime = new VirtualRuntime();
    const cause = new Error('refused');
    const troubles: LockError[] = [];
    const deadline = createDeadline(runtime, 1_000, 'scripted', () => troubles[0]);
    const first = watch(deadline.race(new Promise(() => {}), 'EVALSHA'), runtime);
    await runtime.advance(1_017);
    expect(first.error).toMatchObject({ message: 'scripted did not answer EVALSHA within 1000 ms.' });
    const second = watch(deadline.race(new Promise(() => {}), 'EVALSHA'), runtime);
    troubles.push(new LockError('LOCK_MISCONFIGURED', 'TLS fails: self-signed certificate.', { cause }));
    await runtime.advance(1_017);
    expect(second.error).toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: 'scripted did not answer EVALSHA within 1000 ms. TLS fails: self-signed certificate.',
      cause,
    });
  });

  it('believes an answer that was there, unread, when a blocked event loop went on', async () => {
    const { runtime, deadline } = createSetting();
    const call = createDeferred<number>();
    const silent = watch(deadline.race(new Promise(() => {}), 'GET'));
    const raced = watch(deadline.race(call.promise, 'GET'));
    runtime.block(60_000);
    await runtime.advance(1);
    call.resolve(7);
    await settle();
    expect(raced.value).toBe(7);
    expect(silent.state).toBe('open');
    await runtime.advance(16);
    expect(silent.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(runtime.pendingTimers).toBe(0);
  });

  it('lets a rejection be mended by another call, until the same deadline', async () => {
    const { runtime, deadline } = createSetting();
    const seen: unknown[] = [];
    const first = createDeferred<number>();
    const second = createDeferred<number>();
    const raced = watch(
      deadline.race(first.promise, 'GET', 500, (error, late) => {
        seen.push(error, late);
        return second.promise;
      }),
    );
    first.reject(new Error('not known here'));
    await settle();
    expect(seen).toEqual([new Error('not known here'), false]);
    expect(raced.state).toBe('open');
    second.resolve(8);
    await settle();
    expect(raced.value).toBe(8);
    await runtime.advance(1_000);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('rejects with what a mending throws, or with LOCK_UNAVAILABLE when the second call is not answered', async () => {
    const { runtime, deadline } = createSetting();
    const told = watch(
      deadline.race(Promise.reject(new Error('no')), 'GET', undefined, (error) => {
        throw new Error('explained', { cause: error });
      }),
    );
    const twice = watch(
      deadline.race(Promise.reject(new Error('no')), 'GET', undefined, (error) =>
        String(error).includes('no') ? Promise.reject(new Error('again')) : Promise.resolve(3),
      ),
    );
    const silent = watch(
      deadline.race(
        Promise.reject(new Error('no')),
        () => 'the second',
        undefined,
        () => new Promise(() => {}),
      ),
    );
    await settle();
    expect(told.error).toMatchObject({ message: 'explained', cause: new Error('no') });
    expect(twice.value).toBe(3);
    expect(silent.state).toBe('open');
    await runtime.advance(1_016);
    expect(silent.error).toMatchObject({ message: 'scripted did not answer the second within 1000 ms.' });
  });

  it.each(['returns another call', 'throws'])(
    'tells one that mends that it is over, and drops what it %s',
    async (what) => {
      const { runtime, deadline } = createSetting();
      const call = createDeferred<number>();
      const seen: unknown[] = [];
      const raced = watch(
        deadline.race(call.promise, 'GET', 100, (...told) => {
          seen.push(told);
          if (what === 'throws') throw told[0];
          return Promise.resolve(1);
        }),
      );
      await runtime.advance(116);
      const error = new Error('too late');
      call.reject(error);
      await settle();
      expect(raced.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
      expect(seen).toEqual([[error, true]]);
    },
  );

  it('may be another one for one call', async () => {
    const { runtime, deadline, start } = createSetting();
    const short = watch(deadline.race(new Promise(() => {}), 'GET', 100.4), runtime);
    const long = watch(deadline.race(new Promise(() => {}), 'WAIT', 3_000), runtime);
    await runtime.advance(2_000);
    expect(short.error).toMatchObject({ message: 'scripted did not answer GET within 1000 ms.' });
    expect((short.at ?? 0) - start).toBeGreaterThanOrEqual(100.4);
    expect((short.at ?? 0) - start).toBeLessThanOrEqual(117);
    expect(long.state).toBe('open');
    await runtime.advance(1_016);
    expect(long.state).toBe('rejected');
  });

  it('holds for each of many calls, with one timer', async () => {
    const { runtime, deadline } = createSetting();
    const calls = Array.from({ length: 20 }, () => createDeferred<number>());
    const races = calls.map((call) => watch(deadline.race(call.promise, 'GET')));
    expect(runtime.pendingTimers).toBe(1);
    await runtime.advance(500);
    for (const [index, call] of calls.entries()) if (index % 2 === 0) call.resolve(index);
    await runtime.advance(600);
    expect(races.filter((race) => race.state === 'fulfilled')).toHaveLength(10);
    expect(races.filter((race) => race.state === 'rejected')).toHaveLength(10);
  });

  it.each(['answer', 'rejection'])('drops a late %s', async (kind) => {
    const { runtime, deadline } = createSetting();
    const call = createDeferred<number>();
    const raced = watch(deadline.race(call.promise, 'GET'));
    await runtime.advance(1_016);
    if (kind === 'answer') call.resolve(1);
    else call.reject(new Error('late'));
    await settle();
    expect(raced.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });

  it('does not keep the process alive', () => {
    const { runtime, deadline } = createSetting();
    void deadline.race(new Promise(() => {}), 'GET');
    expect(runtime.keepAliveTimers).toBe(0);
  });

  it('stops: what is under way settles with its backend only', async () => {
    const { runtime, deadline } = createSetting();
    const call = createDeferred<number>();
    const raced = watch(deadline.race(call.promise, 'GET'));
    deadline.stop();
    expect(runtime.pendingTimers).toBe(0);
    await runtime.advance(5_000);
    expect(raced.state).toBe('open');
    call.resolve(3);
    await settle();
    expect(raced.value).toBe(3);
  });
});
