import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLocks } from '@locks/core';
import { startRedis } from '@locks/test-servers';
import { expect } from 'vitest';
import { createUser, environmentIn, main, ownFolder } from './locks-program.ts';
import { isGone, stubbornCommand } from './stubborn-command.ts';

/**
 * Freezes the server of a holder whose command goes on after TERM. Checks that all of it is over,
 * with 76, before the lease expires.
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

/**
 * Kills a holder whose guard looks at the command more slowly than it means to, as on a busy
 * machine. Checks that the command has ended before another one begins.
 */
export async function killHolderOfSlowGuard(): Promise<void> {
  const user = createUser();
  const slow = join(user.home, 'slow');
  mkdirSync(slow);
  writeFileSync(join(slow, 'sleep'), '#!/bin/sh\n/bin/sleep 0.3\nexec /bin/sleep "$@"\n');
  chmodSync(join(slow, 'sleep'), 0o755);
  const { words, pids } = stubbornCommand(ownFolder());
  const holder = user.start(['run', 'key', '--ttl', '500ms', '--grace', '2s', '--', ...words], {
    env: { PATH: `${slow}:${process.env['PATH']}` },
  });
  const processes = await pids();
  holder.process.kill('SIGKILL');
  const next = user.start(['run', 'key', '--', 'sh', '-c', 'echo begun; sleep 60']);
  await expect.poll(next.written, { timeout: 30_000 }).toContain('begun');
  expect(processes.map(isGone)).toEqual([true, true]);
}

/** Kills a holder between the start of its command and the moment in which its guard knows it. */
export async function killHolderAtStart(): Promise<void> {
  const guard = new URL('../../dist/run/guard.js', import.meta.url).href;
  const script = `
    import { spawn } from 'node:child_process';
    import { startGuard } from '${guard}';
    const owner = 'host:1/' + process.pid;
    startGuard({ grace: 200, owner });
    const env = { ...process.env, LOCKS_OWNER: owner };
    const { pid } = spawn('sh', ['-c', 'trap "" TERM; sleep 60; true'], { env, detached: true, stdio: 'ignore' });
    console.log(pid);
    process.kill(process.pid, 'SIGKILL');`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(1);
  await expect.poll(() => isGone(pid), { timeout: 10_000 }).toBe(true);
}
