import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { expect } from 'vitest';
import { isGone } from './is-gone.ts';
import { createUser, environmentIn, main, ownFolder } from './locks-program.ts';
import { stubbornCommand } from './stubborn-command.ts';

/**
 * Freezes the server of a holder whose command goes on after TERM. Checks that all of it is over,
 * with 76, before the store lets go.
 */
export async function loseToFrozenServer(): Promise<void> {
  await using server = await startRedis();
  const user = createUser();
  const { words, pids, heardTerm } = stubbornCommand(ownFolder());
  const over = join(user.home, 'over');
  const options = `--ttl 1s --grace 500ms --url ${server.url} --`.split(' ');
  const run = [process.execPath, main, 'run', 'key', ...options, ...words];
  // The file tells when the run ended: this process may hear of it late.
  const holder = spawn('sh', ['-c', `"$@"; code=$?; : > ${over}; exit $code`, 'sh', ...run], {
    env: environmentIn(user.home),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(holder, 'close');
  let errors = '';
  holder.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const processes = await pids();
  const locks = await openLocks(server.url);
  const asked = Date.now();
  const { holders } = await locks.inspect('key');
  const letsGo = asked + (holders[0]?.remaining ?? 0);
  await server.pause();
  const [code] = await ended;
  expect(errors).toContain('is lost');
  expect({ code, termed: heardTerm(), gone: processes.map(isGone) }).toEqual({
    code: 76,
    termed: true,
    gone: [true, true],
  });
  expect(letsGo - statSync(over).mtimeMs).toBeGreaterThan(0);
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
