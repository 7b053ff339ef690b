import { expect, test } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { Claim, LockProvider } from '../../../core/src/index.ts';
import { VirtualRuntime } from '../../../core/src/testing/virtual-runtime.ts';
import { through } from '../../../core/test/support/through.ts';
import { watch } from '../../../core/test/support/setting.ts';

const claim = (ttl: number): Claim => ({ key: 'job', owner: 'me/1', mode: 'exclusive', ttl });

/** Three stores as one. The calls to each take this many ms. */
function quorum(
  fencing = true,
  need: 'majority' | 'all' = 'majority',
): {
  readonly runtime: VirtualRuntime;
  readonly provider: LockProvider;
  readonly members: readonly LockProvider[];
  readonly delays: number[];
} {
  const runtime = new VirtualRuntime();
  const delays = [0, 0, 0];
  const members = delays.map(() => createMemoryProvider({ store: createMemoryStore({ runtime }) }));
  const pass = (index: number): Promise<void> =>
    new Promise((resolve) => {
      const delay = delays[index] as number;
      if (delay === 0) resolve();
      else if (delay < Infinity) runtime.setTimer(resolve, delay, false);
    });
  const links = members.map((member, index) => ({
    ...through(member, (call) => pass(index).then(call)),
    inspect: member.inspect.bind(member),
  }));
  return { runtime, provider: combine(links, { runtime, memberTimeout: 100, fencing, need }), members, delays };
}

test.each([
  ['the renewal of before', true],
  ['the attempt of before, without tokens', false],
])('a renewal with a shorter ttl reaches a member where %s is under way', async (_call, isRenewal) => {
  const { runtime, provider, members, delays } = quorum(isRenewal);
  if (isRenewal) await provider.tryAcquire(claim(30_000));
  delays[2] = 50;
  await (isRenewal ? provider.renew(claim(30_000)) : provider.tryAcquire(claim(30_000)));
  await provider.renew(claim(1_000));
  delays[2] = 0;
  await runtime.advance(60);
  expect((await members[2]!.inspect('job')).holders[0]?.remaining).toBeLessThanOrEqual(1_000);
});

test('an answer to a renewal with a shorter ttl does not count for a longer one', async () => {
  const { runtime, provider, delays } = quorum();
  await provider.tryAcquire(claim(1_000));
  delays[2] = 50;
  await provider.renew(claim(1_000));
  delays[1] = Infinity;
  delays[2] = Infinity;
  const renewed = watch(provider.renew(claim(30_000)));
  await runtime.advance(60);
  expect(renewed.state).toBe('open');
  await runtime.advance(15_000);
  expect(renewed.error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
});

test.each(['majority', 'all'] as const)(
  'where members are slow, a release begins a cooldown that is almost over (%s)',
  async (need) => {
    const { runtime, provider, delays, members } = quorum(true, need);
    const locks = createLocks(provider, { runtime });
    const lease = await locks.acquire('job', { ttl: 30_000, atLeast: 1_000 });
    await runtime.advance(1_000);
    delays[1] = 80;
    delays[2] = 80;
    const released = watch(lease.release());
    await runtime.advance(90);
    expect(released.value).toBe(true);
    await runtime.advance(50);
    for (const member of members) expect((await member.inspect('job')).holders).toEqual([]);
  },
);
