import { describe, expect, it } from 'vitest';
import { LockError, subscribe, untilAborted } from '../../src/index.ts';
import type { Election, ElectionMessage, Locks } from '../../src/index.ts';
import { createDeferred } from '../../src/time/deferred.ts';
import { fleet } from '../support/fleet.ts';
import { createFreeSetting, expectNothingLeft, watch } from '../support/setting.ts';
import { rejectAtOnce } from '../support/scripted-provider.ts';

describe('an election', () => {
  it.each<[string, (election: Election, locks: Locks) => Promise<unknown>]>([
    ['stop', (election) => election.stop()],
    ['resign', (election) => election.resign()],
    ['close', (_election, locks) => locks.close()],
  ])('%s is no failure of a leader that rejects with the reason of its signal, or because of it', async (_how, end) => {
    for (const errorOf of [(reason: unknown) => reason, (cause: unknown) => new Error('aborted', { cause })]) {
      const { runtime, all } = fleet();
      const told: ElectionMessage[] = [];
      const unsubscribe = subscribe('locks:election', (message) => void told.push(message));
      const election = all[0]!.elect('job', async ({ signal }) => {
        await untilAborted(signal);
        throw errorOf(signal.reason);
      });
      await runtime.advance(10);
      const over = end(election, all[0]!);
      await runtime.advance(10);
      await over;
      unsubscribe();
      expect(told.map(({ event }) => event).slice(0, 2)).toEqual(['elected', 'ended']);
      expect(told[1]).not.toHaveProperty('error');
      void election.stop();
    }
  });

  it('stop waits no longer than its drain, and a close no longer than its own', async () => {
    const { runtime, all, stand, terms } = fleet();
    const hung = all[0]!.elect('job', () => new Promise(() => {}));
    stand(1);
    await runtime.advance(10);
    const stopped = watch(hung.stop({ drain: '2s' }));
    const ended = watch(hung.ended);
    await runtime.advance(1_990);
    expect([stopped.state, ended.state, terms]).toEqual(['open', 'open', []]);
    await runtime.advance(20);
    expect([stopped.state, ended.state, terms.length]).toEqual(['fulfilled', 'fulfilled', 1]);
    await expect(hung.stop({ drain: -1 })).rejects.toThrow('stop: option "drain" must be a number of ms');

    const other = all[2]!.elect('other', () => new Promise(() => {}));
    await runtime.advance(10);
    const closed = watch(all[2]!.close());
    const over = watch(other.ended);
    await runtime.advance(4_990);
    expect(over.state).toBe('open');
    await runtime.advance(20);
    expect([closed.state, over.state]).toEqual(['fulfilled', 'fulfilled']);
  });

  it.each(['stop', 'signal', 'close'])('ends by %s, and leaves nothing', async (how) => {
    const { runtime, all, terms, stand } = fleet();
    const controller = new AbortController();
    const candidates = [stand(0, { signal: controller.signal }), stand(1)];
    await runtime.advance(10);
    if (how === 'stop') await candidates[0]?.stop();
    if (how === 'signal') controller.abort();
    if (how === 'close') void all[0]!.close();
    const ended = watch(candidates[0]!.ended);
    await runtime.advance(5_000);
    expect(ended.state).toBe('fulfilled');
    expect(candidates.map(({ leading }) => leading)).toEqual([false, true]);
    expect(terms).toHaveLength(2);
    await candidates[1]?.stop();
    await runtime.advance(10);
    expect(await all[2]!.inspect('job')).toMatchObject({ holders: [], waiters: 0 });
    await expectNothingLeft({ runtime, locks: all[1]! });
  });

  it.each(['stop', 'resign', 'asyncDispose'] as const)('may be told to end by its own leader: %s', async (how) => {
    const { runtime, all } = fleet(2);
    let terms = 0;
    const ends: unknown[] = [];
    const election: Election = all[0]!.elect(
      'job',
      async ({ signal }) => {
        terms += 1;
        if (how === 'asyncDispose') await election[Symbol.asyncDispose]();
        else ends.push(await election[how]());
        ends.push(signal.aborted);
      },
      { cooldown: 100 },
    );
    await runtime.advance(1_000);
    expect(ends.slice(0, 2)).toEqual(how === 'asyncDispose' ? [true] : [how === 'resign' ? true : undefined, true]);
    expect(terms > 1).toBe(how === 'resign');
    const stopped = watch(election.stop());
    await runtime.advance(10);
    expect(stopped.state).toBe('fulfilled');
    expect(await all[1]!.inspect('job')).toMatchObject({ holders: [], waiters: 0 });
  });

  it('ends by its own leader inside of another term, and waits for work that only began there', async () => {
    const { runtime, all } = fleet(2);
    const order: string[] = [];
    const later = createDeferred();
    const outer: Election = all[0]!.elect('outer', async () => {
      const inner: Election = all[0]!.elect('inner', async ({ signal }) => {
        await outer.resign();
        order.push('inner has resigned outer');
        await inner.stop();
        order.push(`inner ends: ${signal.aborted}`);
      });
      await inner.ended;
      void later.promise.then(async () => {
        await outer.stop();
        order.push('outer has stopped');
      });
      order.push('outer ends');
    });
    await runtime.advance(1);
    expect(order).toEqual(['inner has resigned outer', 'inner ends: true', 'outer ends']);
    later.resolve();
    await runtime.advance(20_000);
    expect(order.at(-1)).toBe('outer has stopped');
  });

  it('its leader may stop it, and wait for its end', async () => {
    const { runtime, all } = fleet(2);
    const election: Election = all[0]!.elect('job', async () => {
      void election.stop();
      await election.ended;
    });
    const ended = watch(election.ended);
    await runtime.advance(10);
    expect(ended.state).toBe('fulfilled');
    expect(await all[1]!.inspect('job')).toMatchObject({ holders: [] });
  });

  it.each(['stop', 'resign'] as const)('two leaders that call %s of each other end after drain', async (how) => {
    const { runtime, all } = fleet(2);
    const ends: unknown[] = [];
    const both: Election[] = all.map((locks, index) =>
      locks.elect(`job-${index}`, async () => {
        if (ends.length > 1) return;
        await both[1 - index]!.whenLeading();
        ends.push(await both[1 - index]![how]());
      }),
    );
    const ended = watch(Promise.all(both.map((each) => each.ended)));
    await runtime.advance(4_990);
    expect(ends).toEqual([]);
    await runtime.advance(1_000);
    // The second is released by the end of the first.
    expect(ends).toEqual(how === 'stop' ? [undefined, undefined] : [false, true]);
    await Promise.all(both.map((each) => each.stop()));
    await runtime.advance(10);
    expect(ended.state).toBe('fulfilled');
  });

  it('its leader may wait for a worker that stops it', async () => {
    const { runtime, all } = fleet(1);
    const asked = createDeferred<Election>();
    const worker = asked.promise.then(async (election) => await election.stop());
    const election: Election = all[0]!.elect('job', async () => {
      asked.resolve(election);
      await worker;
    });
    const ended = watch(election.ended);
    await runtime.advance(4_990);
    expect(ended.state).toBe('open');
    await runtime.advance(20);
    expect(ended.state).toBe('fulfilled');
  });

  it('that waits or rests ends at once too', async () => {
    const { runtime, all, terms, stand } = fleet();
    stand(0);
    await runtime.advance(10);
    const waiting = stand(1);
    const resting = all[2]!.elect('other', () => {}, { cooldown: 60_000 });
    await runtime.advance(10);
    await waiting.stop();
    await resting[Symbol.asyncDispose]();
    expect(await all[2]!.inspect('job')).toMatchObject({ waiters: 0 });
    expect(terms).toHaveLength(1);
    const aborted = all[1]!.elect('job', () => {}, { signal: AbortSignal.abort() });
    expect(await aborted.ended).toBeUndefined();
  });

  it('ends with the error that standing again would not mend', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    provider.answers.tryAcquire = (call) => call.reject(new LockError('LOCK_MISCONFIGURED', 'no rights'));
    const candidate = locks.elect('job', () => {});
    const ended = watch(candidate.ended);
    await runtime.advance(10);
    expect(ended.error).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    provider.answers.tryAcquire = rejectAtOnce;
    const other = locks.elect('job', () => {}, { ttl: 100, cooldown: 10 });
    await runtime.advance(5_000);
    expect(provider.attempts.length).toBeGreaterThan(10);
    await other.stop();
  });
});
