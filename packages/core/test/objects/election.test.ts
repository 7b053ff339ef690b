import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../support/listen.ts';
import { subscribe } from '../../src/index.ts';
import type { ElectionMessage, Lease, Locks } from '../../src/index.ts';
import { createDeferred } from '../../src/time/deferred.ts';
import { fleet } from '../support/fleet.ts';
import { watch } from '../support/setting.ts';

describe('locks.elect', () => {
  it('keeps the lease until the work of the leader has ended', async () => {
    const { runtime, all, stand } = fleet();
    const gate = createDeferred();
    const first = all[0]!.elect('job', () => gate.promise);
    const second = stand(1);
    await runtime.advance(10);
    const resigned = watch(first.resign());
    await runtime.advance(4_900);
    expect([resigned.state, first.leading, second.leading]).toEqual(['open', true, false]);
    gate.resolve();
    await runtime.advance(0);
    expect([resigned.value, first.leading, second.leading]).toEqual([true, false, true]);
  });

  it('stands again after errors and ends of its work, resting longer after each error', async () => {
    const { runtime, all } = fleet();
    const begun: number[] = [];
    const told: unknown[] = [];
    const subscription = subscribe('locks:election', (message: ElectionMessage) => told.push(message));
    onTestFinished(subscription);
    const failure = new Error('cannot lead');
    const candidate = all[0]!.elect(
      'job',
      () => {
        begun.push(runtime.time);
        if (begun.length < 8) throw failure;
      },
      { cooldown: 100 },
    );
    await runtime.advance(20_000);
    await candidate.stop();
    const rests = begun.slice(1).map((at, index) => at - begun[index]!);
    [100, 200, 400, 800, 1_600, 1_600, 1_600, 100].forEach((longest, index) => {
      expect(rests[index]).toBeGreaterThanOrEqual(longest / 2);
      expect(rests[index]).toBeLessThanOrEqual(longest + 2);
    });
    expect(told.slice(0, 2)).toEqual([
      {
        provider: 'memory',
        key: 'job',
        event: 'elected',
        owner: expect.stringMatching(/^p0/),
        token: expect.any(BigInt),
      },
      { provider: 'memory', key: 'job', event: 'ended', error: failure },
    ]);
    expect(told.at(-1)).toEqual({ provider: 'memory', key: 'job', event: 'ended' });
  });

  it('warns of an error that no listener hears of', async () => {
    const { runtime, all } = fleet();
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on('warning', hear);
    onTestFinished(() => void process.off('warning', hear));
    const candidate = all[0]!.elect('job', () => {
      throw new Error('cannot lead');
    });
    await runtime.advance(10);
    await candidate.stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toMatchObject([{ code: 'LOCKS_ELECTION', message: expect.stringContaining('"job"') as unknown }]);
  });

  it('counts a rejection without an error as a failure too', async () => {
    const { runtime, all } = fleet();
    const told = listen('locks:election');
    const nothing: unknown = undefined;
    const fails = async (): Promise<void> => {
      await Promise.resolve();
      throw nothing;
    };
    const candidate = all[0]!.elect('job', fails, { cooldown: 100 });
    await runtime.advance(10_000);
    await candidate.stop();
    const ended = told.filter(({ event }) => event === 'ended');
    expect(ended[0]).toEqual({ provider: 'memory', key: 'job', event: 'ended', error: undefined });
    expect(Object.keys(ended[0] ?? {})).toContain('error');
    expect(ended.length).toBeLessThan(15);
  });

  it('whenLeading gives the lease of the term, and tells a candidate that has ended', async () => {
    const { runtime, stand, terms } = fleet();
    const [first, second] = [stand(0), stand(1, { label: 'blue' })];
    await runtime.advance(10);
    expect((await first.whenLeading()).token).toBe(terms[0]?.token);
    expect(await first.inspect()).toMatchObject({ holders: [{ owner: terms[0]?.owner }], waiters: 1 });
    const next = watch(second.whenLeading());
    const gone = new AbortController();
    const aborted = watch(second.whenLeading({ signal: gone.signal }));
    await runtime.advance(10);
    expect(next.state).toBe('open');
    gone.abort('enough');
    await first.stop();
    await runtime.advance(10);
    expect(next.value).toMatchObject({ key: 'job', held: true, token: terms[1]?.token });
    expect(terms[1]?.owner).toMatch(/^p1:blue\//);
    expect(aborted.error).toBe('enough');
    await expect(first.whenLeading()).rejects.toMatchObject({ code: 'LOCK_CLOSED', key: 'job' });
    await expect(second.whenLeading({ signal: gone.signal })).rejects.toBe('enough');
    await second.stop();
  });

  it('stands again after a loss, when the work before has ended', async () => {
    const { runtime, all } = fleet();
    const gate = createDeferred();
    const terms: Lease[] = [];
    const candidate = all[0]!.elect(
      'job',
      (lease) => {
        terms.push(lease);
        return gate.promise;
      },
      { cooldown: 100 },
    );
    await runtime.advance(10);
    await all[1]!.forceRelease((await all[1]!.inspect('job')).holders[0]!);
    await runtime.advance(3_000);
    expect(terms[0]?.signal.reason).toMatchObject({ code: 'LOCK_LOST' });
    expect([terms.length, candidate.leading]).toEqual([1, false]);
    gate.resolve();
    await runtime.advance(200);
    expect(terms.length).toBeGreaterThan(1);
    await candidate.stop();
  });

  it('ends a term after maxHold', async () => {
    const { runtime, terms, stand } = fleet();
    stand(0, { maxHold: 3_000 });
    stand(1);
    await runtime.advance(4_000);
    expect(terms.map(({ owner }) => owner.slice(0, 2))).toEqual(['p0', 'p1']);
  });

  it('refuses wrong arguments', () => {
    const { all } = fleet();
    const [locks] = all as [Locks];
    for (const call of [
      () => locks.elect('', () => {}),
      () => locks.elect('job', undefined as never),
      () => locks.elect('job', () => {}, { cooldown: 0 }),
      () => locks.elect('job', () => {}, { wait: 5 } as never),
      () => locks.leadership('job', { poll: -1 }),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 'LOCK_INVALID' }));
    }
  });
});
