import { once } from 'node:events';
import { openLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { expect } from 'vitest';
import { isGone } from './is-gone.ts';
import { createUser, ownFolder } from './locks-program.ts';
import { stubbornCommand } from './stubborn-command.ts';

/**
 * Freezes the server of a holder whose command goes on after TERM. Checks that all of it is over,
 * with 76, before the store lets go.
 */
export async function loseToFrozenServer(): Promise<void> {
  await using server = await startRedis();
  const user = createUser();
  const { words, pids, heardTerm } = stubbornCommand(ownFolder());
  const args = ['run', 'key', '--ttl', '1s', '--grace', '500ms', '--url', server.url, '--', ...words];
  const holder = user.start(args);
  const processes = await pids();
  const locks = await openLocks(server.url);
  const asked = performance.now();
  const { holders } = await locks.inspect('key');
  const letsGo = asked + (holders[0]?.remaining ?? 0);
  await server.pause();
  await once(holder.process, 'exit');
  const over = performance.now();
  const gone = processes.map(isGone);
  const { code, errors } = await holder.ended;
  expect(errors).toContain('is lost');
  expect({ code, termed: heardTerm(), gone }).toEqual({
    code: 76,
    termed: true,
    gone: [true, true],
  });
  expect(letsGo - over).toBeGreaterThan(0);
  await server.resume();
  await locks.close();
}

/** Kills a holder whose command goes on after TERM. Checks that the command ends. */
export async function killHolder(): Promise<void> {
  const user = createUser();
  const { words, pids, heardTerm } = stubbornCommand(ownFolder());
  const holder = user.start(['run', 'key', '--grace', '300ms', '--', ...words]);
  const processes = await pids();
  holder.process.kill('SIGKILL');
  await expect.poll(() => processes.map(isGone), { timeout: 10_000 }).toEqual([true, true]);
  expect(heardTerm()).toBe(true);
}
