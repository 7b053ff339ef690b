import { createMemoryProvider } from '../../src/index.ts';
import { checkHistory } from '../../src/testing/index.ts';
import { callTimeout, calm } from './link.ts';
import type { Wait } from './process.ts';
import { keys, longestTtl, waiterTtl } from './world.ts';
import type { World } from './world.ts';

/**
 * The network heals, each process gives back its locks, and time goes on. Then no claim waits, and
 * nothing is left.
 */
export async function finish(world: World): Promise<void> {
  world.note('calm');
  for (const { link } of world.processes) {
    link.weather = calm;
    link.cutUntil = -Infinity;
  }
  await world.store.advance(Math.max(0, ...world.processes.map(({ runtime }) => runtime.busyUntil - world.now)));
  for (const process of world.processes) for (const hold of process.holds) world.release(process, hold);
  const open = (): Wait[] => world.processes.flatMap((process) => process.waits.filter((wait) => wait.open));
  const worst = longestTtl + waiterTtl + callTimeout + 3_000;
  for (const end = world.now + worst; open().length > 0 && world.now < end;) {
    await world.store.advance(100);
    for (const process of world.processes) for (const hold of process.holds) world.release(process, hold);
    world.look();
    world.forget();
  }
  for (const wait of open()) world.report(`${wait.label} waits still: its wake-up was lost`);
  // Law 2: releases are repeated until the ttl is over, a second apart.
  await world.store.advance(longestTtl + waiterTtl + callTimeout + 1_500);
  world.look();
  const server = createMemoryProvider({ store: world.memory });
  for (const key of keys) {
    const { holders, waiters } = await server.inspect(key);
    for (const { owner } of holders) world.report(`${owner} is left behind as holder of ${key}`);
    if (waiters > 0) world.report(`${waiters} are left behind in the queue of ${key}`);
  }
  for (const { name, locks, runtime, state, pending } of world.processes) {
    if (state === 'dead') continue;
    if (pending > 0) world.report(`${name} has ${pending} renewals or releases that never settled`);
    let closed = false;
    void locks.close().then(() => (closed = true));
    await world.store.advance(0);
    if (!closed || runtime.keepAliveTimers > 0) world.report(`${name} does not end: it has something to wait for`);
  }
  world.problems.push(...checkHistory(world.history.events, { requestsMayRepeat: true }).map(({ message }) => message));
}
