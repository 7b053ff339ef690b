import { startChild } from '@locks/conformance/processes';
import type { Child } from '@locks/conformance/processes';
import { expect, onTestFinished, test, vi } from 'vitest';

function start(): Child<unknown> {
  const child = startChild(new URL('./fixtures/child.js', import.meta.url), { name: 'the child' });
  onTestFinished(() => child.kill());
  return child;
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a child process answers each request, with values that JSON does not have', async () => {
  const child = start();
  expect(await Promise.all([child.ask(1n), child.ask(undefined), child.ask(new Set([1]))])).toEqual([
    1n,
    undefined,
    new Set([1]),
  ]);
});

test('an error comes back with its code, and with the stack of the child', async () => {
  const error = await start()
    .ask('fail')
    .catch((cause: unknown) => cause);
  expect(error).toMatchObject({ message: 'as asked', code: 'ASKED', stack: expect.stringContaining('child.js') });
});

test('the end of a child rejects what was asked, and what is asked later', async () => {
  const child = start();
  const asked = child.ask('never');
  const ended = 'the child has ended (exit code 3)';
  await expect(child.ask('exit')).rejects.toThrow(ended);
  await expect(asked).rejects.toThrow(ended);
  await expect(child.ask(1)).rejects.toThrow(ended);
  expect(await child.gone).toBe(3);
});

test('a child that is killed is gone, and so is its own child', async () => {
  const child = start();
  const pid = (await child.ask('have a child')) as number;
  expect(runs(pid)).toBe(true);
  await child.kill();
  expect(await child.gone).toBe('SIGKILL');
  await vi.waitFor(() => expect(runs(pid)).toBe(false), { timeout: 10_000 });
});

test('a child that stops serving ends when nothing keeps it running', async () => {
  const child = start();
  await child.ask('stop');
  expect(await child.gone).toBe(0);
});

test.runIf(process.platform !== 'win32')('a child that is stopped again and again costs no listeners', async () => {
  const warnings: string[] = [];
  const hear = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  const child = start();
  for (let times = 0; times < 12; times += 1) {
    await child.pause();
    child.resume();
  }
  expect(await child.ask(1n)).toBe(1n);
  expect(warnings).not.toContain('MaxListenersExceededWarning');
});
