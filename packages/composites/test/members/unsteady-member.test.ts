import { expect, test } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { LockProvider } from '../../../core/src/index.ts';
import { createRandom } from '../../../core/src/testing/random.ts';
import { through } from '../../../core/test/support/through.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

/** `provider` over a link whose replies take `delay` ms, in their order. */
function linked(runtime: VirtualRuntime, provider: LockProvider, delay: () => number): LockProvider {
  let last = 0;
  const travel = async <T>(call: () => Promise<T>): Promise<T> => {
    const answer = await call();
    last = Math.max(last, runtime.time + delay());
    const left = last - runtime.time;
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, left, false));
    return answer;
  };
  return {
    ...through(provider, travel),
    tryAcquire: (claim, wake) =>
      travel(() => provider.tryAcquire(claim, wake && (() => void runtime.setTimer(wake, delay(), false)))),
    time: () => travel(async () => await (provider.time?.() as Promise<number>)),
  };
}

test('processes share a lock evenly where the link to the first member is unsteady', async () => {
  const runtime = new VirtualRuntime();
  const stores = [1, 2, 3].map(() => createMemoryStore({ runtime }));
  const grants = [0, 0, 0];
  const random = createRandom(7);
  const start = runtime.time;
  const processes = grants.map(() =>
    createLocks(
      combine(
        stores.map((store, index) =>
          linked(runtime, createMemoryProvider({ store, runtime }), index === 0 ? () => random() * 250 : () => 1),
        ),
        { runtime },
      ),
      { runtime, ttl: 10_000 },
    ),
  );
  const working = processes.flatMap((locks, index) =>
    [1, 2].map(async () => {
      while (runtime.time - start < 60_000) {
        const lease = await locks.acquire('job');
        grants[index] = (grants[index] ?? 0) + 1;
        await lease.release();
      }
    }),
  );
  let over = false;
  void Promise.all(working).then(() => (over = true));
  while (!over) await runtime.advance(50);
  const mean = grants.reduce((sum, each) => sum + each, 0) / 3;
  // Where each waited for the link, there would be 8 grants in a second at most.
  expect(mean * 3).toBeGreaterThan(60 * 100);
  for (const each of grants) expect(Math.abs(each - mean)).toBeLessThan(mean / 5);
}, 60_000);
