import { expect, test } from 'vitest';
import { createLocks } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { LockProvider, Locks } from '../../../core/src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';
import { RestartingServer } from '../support/restarting-server.ts';
import { through } from '../../../core/test/support/through.ts';

const ttl = 60_000;
const never = new Promise<never>(() => {});

test('a waiting process that dies with a vote closes a free key no longer than its positions last', async () => {
  const runtime = new VirtualRuntime();
  const servers = [0, 1, 2].map(() => new RestartingServer(runtime));
  let isDead = false;
  /** A process that dies, and that no member tells of a holder before. */
  const mortal = (member: LockProvider): LockProvider => ({
    ...through(member, (call) => (isDead ? never : call())),
    inspect: () => never,
  });
  const open = (change = (member: LockProvider): LockProvider => member): Locks => {
    const members = servers.map((server) => change(server.open()));
    return createLocks(combine(members, { runtime, memberTimeout: 100 }), { runtime, ttl });
  };
  servers[0]!.down = true;
  const taken = watch(open().acquire('job'));
  await runtime.advance(10);
  servers[0]?.comeBackEmpty();
  watch(open(mortal).acquire('job', { wait: 600_000 }));
  await runtime.advance(3_000);
  const states = async (): Promise<number[]> =>
    await Promise.all(servers.map(async (server) => (await server.open().inspect('job')).holders.length));
  expect(await states()).toEqual([1, 1, 1]);
  isDead = true;
  watch(taken.value?.release() ?? never);
  await runtime.advance(10);
  const diedAt = runtime.time;
  const next = watch(open().acquire('job', { wait: 600_000 }), runtime);
  for (let second = 0; second < 120 && next.state === 'open'; second += 1) await runtime.advance(1_000);
  expect((next.at ?? Infinity) - diedAt).toBeLessThan(11_000);
});
