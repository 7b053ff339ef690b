import { expect, test } from 'vitest';
import type { LockProvider } from '../../../core/src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import { restartingQuorum } from '../support/restarting-server.ts';
import { through } from '../../../core/test/support/through.ts';

const ttl = 60_000;
const never = new Promise<never>(() => {});

test('a waiting process that dies with a vote closes a free key no longer than its positions last', async () => {
  const { runtime, servers, open, holders } = restartingQuorum(ttl);
  let isDead = false;
  /** A process that dies, and that no member tells of a holder before. */
  const mortal = (member: LockProvider): LockProvider => ({
    ...through(member, (call) => (isDead ? never : call())),
    inspect: () => never,
  });
  servers[0].down = true;
  const taken = watch(open().acquire('job'));
  await runtime.advance(10);
  servers[0].comeBackEmpty();
  watch(open(mortal).acquire('job', { wait: 600_000 }));
  await runtime.advance(3_000);
  expect((await holders()).map(({ length }) => length)).toEqual([1, 1, 1]);
  isDead = true;
  watch(taken.value?.release() ?? never);
  await runtime.advance(10);
  const diedAt = runtime.time;
  const next = watch(open().acquire('job', { wait: 600_000 }), runtime);
  for (let second = 0; second < 120 && next.state === 'open'; second += 1) await runtime.advance(1_000);
  expect((next.at ?? Infinity) - diedAt).toBeLessThan(11_000);
});
