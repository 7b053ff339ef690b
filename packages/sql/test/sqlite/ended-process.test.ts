import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { eventually } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { hasEnded, processName } from '../../src/sqlite/host/process.ts';

/** The name of another process, as it would tell it. */
function nameOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const [id, namespaces] = processName('id').split(' ');
  return [id, namespaces, pid, stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]].join(' ');
}

test('this process has not ended', () => {
  expect(processName('id')).toBe(nameOf(process.pid));
  expect(hasEnded(processName('id'))).toBe(false);
});

test('a process has not ended while it stands still, and has when it was killed', async () => {
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const name = nameOf(child.pid ?? 0);
  expect(hasEnded(name)).toBe(false);
  child.kill('SIGSTOP');
  expect(hasEnded(name)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(hasEnded(name)).toBe(true);
});

test('a process has ended whose parent has not asked for its exit code', async () => {
  // The shell becomes `sleep`, which asks for none.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = (await once(createInterface(parent.stdout), 'line')) as readonly string[];
  const name = nameOf(Number(line));
  expect(hasEnded(name)).toBe(false);
  process.kill(Number(line), 'SIGKILL');
  await eventually('the end of the process', async () => hasEnded(name));
});

test('a later process with the same number is another one', () => {
  const [id, namespaces, pid] = processName('id').split(' ');
  expect(hasEnded([id, namespaces, pid, '1'].join(' '))).toBe(true);
  expect(hasEnded([id, namespaces, process.ppid, '1'].join(' '))).toBe(true);
});

test('a process of another container, or without that part, counts as running', () => {
  const [id, , , started] = processName('id').split(' ');
  expect(hasEnded([id, 'pid:[1],time:[1]', 2 ** 22 + 1, started].join(' '))).toBe(false);
  expect(hasEnded('id')).toBe(false);
});
