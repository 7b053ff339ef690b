import { expect, test } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { createRandom } from '../../../core/src/testing/index.ts';
import type { LockProvider, Locks } from '../../../core/src/index.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { combine } from '../../src/index.ts';
import { through } from '../../../core/test/support/through.ts';

/**
 * Two processes wait in the queue behind a holder of a third, whose release reaches each member
 * when it may. `latency`: of each call, in ms at most. Gives the order of the grants.
 */
async function orderOf(seed: number, latency: number): Promise<readonly number[]> {
  const runtime = new VirtualRuntime();
  const random = createRandom(seed);
  const stores = [0, 1, 2].map(() => createMemoryStore({ runtime }));
  const pause = (most: number): Promise<void> =>
    new Promise((resolve) => void runtime.setTimer(resolve, random() * most, false));
  const open = (spread = latency): Locks => {
    const members = stores.map((store): LockProvider => {
      const member = createMemoryProvider({ store });
      const delayed = through(member, async (call) => {
        await pause(latency);
        return await call();
      });
      return {
        ...delayed,
        async release(claim) {
          await pause(spread);
          return await member.release(claim);
        },
      };
    });
    return createLocks(combine(members, { runtime, memberTimeout: 1_500 }), { runtime, ttl: 30_000 });
  };
  const [holder, one, two] = [open(200), open(), open()];
  const held = holder.acquire('job');
  await runtime.advance(500);
  const order: number[] = [];
  const leavers: AbortController[] = [];
  for (let index = 0; index < 7; index += 1) {
    const leaver = new AbortController();
    leavers.push(leaver);
    const serve = async (): Promise<void> => {
      const lease = await (index % 2 === 0 ? one : two).acquire('job', { signal: leaver.signal });
      order.push(index);
      await lease.release();
    };
    serve().catch(() => {});
    await runtime.advance(500);
  }
  for (const leaver of [3, 0, 6]) leavers[leaver]?.abort();
  await runtime.advance(random() * 100);
  void (await held).release();
  for (let step = 0; step < 1_000 && order.length < 4; step += 1) await runtime.advance(10);
  return order;
}

test.each([1, 5, 30, 80])(
  'claims of two processes keep their order though a release reaches the members one after the other, with %i ms a call',
  async (latency) => {
    for (let seed = 1; seed <= 100; seed += 1)
      expect(await orderOf(seed, latency), `seed ${seed}`).toEqual([1, 2, 4, 5]);
  },
);
