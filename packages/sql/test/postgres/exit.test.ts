import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { serverOfFile } from './support/database.ts';

const server = await serverOfFile();

test('a process whose provider listens, and is never closed, ends', async () => {
  const script = fileURLToPath(new URL('support/left-open.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, server.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  expect([code, output]).toEqual([0, 'done']);
});
