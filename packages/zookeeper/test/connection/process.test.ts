import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startZookeeper } from '@locks/test-servers';
import { expect, test } from 'vitest';
import type { Address } from '../../src/connection/address.ts';
import { startFakeServer } from '../support/fake-server.ts';

/**
 * Runs a script of test/fixtures with an address. Resolves when it has ended to its exit code and
 * what it printed.
 */
async function run(script: string, { host, port }: Address): Promise<readonly [number, string]> {
  const path = new URL(`../fixtures/${script}`, import.meta.url).pathname;
  const child = spawn(process.execPath, [path, host, `${port}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [code] = (await once(child, 'close')) as [number];
  return [code, printed];
}

test('a process ends whose session has nothing to wait for, and not before a reply', async () => {
  await using server = await startZookeeper();
  expect(await run('idle.mjs', server)).toEqual([0, 'connected\nanswered\n']);
});

test('a process does not wait for a connection that is opened in the background', async () => {
  await using server = await startFakeServer();
  expect(await run('connecting.mjs', server.address)).toEqual([0, '']);
});
