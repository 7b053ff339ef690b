import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../src/index.ts';
import { combine } from '../../../composites/src/index.ts';
import type { Leader } from '../../src/index.ts';
import { fleet, ttl } from '../support/fleet.ts';
import { createFreeSetting, watch } from '../support/setting.ts';
import { VirtualRuntime } from '../support/virtual-runtime.ts';

/** Notes what an observer is told, until `end`. */
function observe(source: AsyncIterable<Leader | null>): {
  readonly seen: (string | null)[];
  readonly over: Promise<void>;
} {
  const seen: (string | null)[] = [];
  const follow = async (): Promise<void> => {
    for await (const leader of source) seen.push(leader?.label ?? null);
  };
  return { seen, over: follow() };
}

describe('an observer', () => {
  it('sees each change once and in order, also a vacancy', async () => {
    const { runtime, all, stand } = fleet();
    const observers = [all[2]!.leadership('job', { poll: 50 }), all[0]!.leadership('job', { poll: 80 })].map(observe);
    await runtime.advance(200);
    const candidates = [stand(0), stand(1, { cooldown: 5_000 })];
    await runtime.advance(500);
    await candidates[0]!.resign();
    await runtime.advance(500);
    await candidates[1]!.resign();
    await runtime.advance(500);
    await candidates[0]!.stop();
    await runtime.advance(1_000);
    for (const { seen } of observers) expect(seen).toEqual([null, 'p0', 'p1', 'p0', null]);
    for (const locks of all) void locks.close();
    await runtime.advance(1_000);
    for (const { over } of observers) await over;
    expect(runtime.keepAliveTimers).toBe(0);
  });

  it('hears nothing through an outage, of old answers, and of a vacancy of one look', async () => {
    const { runtime, provider, locks } = createFreeSetting();
    const holder = (label: string, token: bigint) => ({
      key: 'job',
      waiters: 0,
      holders: [{ owner: `${label}/1`, mode: 'exclusive' as const, token }],
    });
    const none = { key: 'job', waiters: 0, holders: [] };
    const answers = [
      holder('a', 5n),
      none,
      holder('a', 5n),
      'outage',
      holder('b', 7n),
      holder('a', 5n),
      none,
      none,
      none,
    ];
    provider.inspect = () => {
      const answer = answers.shift() ?? holder('c', 9n);
      return typeof answer === 'string' ? Promise.reject(new Error(answer)) : Promise.resolve(answer);
    };
    const { seen } = observe(locks.leadership('job', { poll: 100 }));
    await runtime.advance(3_000);
    expect(seen).toEqual(['a', 'b', null, 'c']);
  });

  it('hears nothing of votes on a quorum that others turn away', async () => {
    const runtime = new VirtualRuntime();
    const members = [0, 1, 2].map(() => createMemoryProvider({ store: createMemoryStore({ runtime }) }));
    const provider = combine(members, { runtime });
    const locks = createLocks(provider, { runtime, ttl, label: 'p0' });
    const { seen } = observe(locks.leadership('job', { poll: 100 }));
    await runtime.advance(250);
    const votes = { key: 'job', owner: 'voter/1~1', mode: 'exclusive', ttl } as const;
    for (const member of members.slice(1)) await member.tryAcquire(votes);
    expect((await provider.inspect('job')).holders).toMatchObject([{ owner: 'voter/1' }]);
    await runtime.advance(100);
    for (const member of members.slice(1)) await member.release(votes);
    await locks.acquire('job');
    await runtime.advance(100);
    expect(seen).toEqual([null]);
    await runtime.advance(100);
    expect(seen).toEqual([null, 'p0']);
  });

  it('ends with the reason of its signal', async () => {
    const { runtime, all } = fleet();
    const controller = new AbortController();
    const outcome = watch(observe(all[0]!.leadership('job', { signal: controller.signal })).over);
    await runtime.advance(3_500);
    const reason = new Error('not interested');
    controller.abort(reason);
    await runtime.advance(0);
    expect(outcome.error).toBe(reason);
    expect(runtime.keepAliveTimers).toBe(0);
  });
});
