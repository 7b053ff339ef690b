import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/**
 * Starts the built demo. `left` lists what is in its temporary folder; `end` resolves when it has
 * ended.
 */
export function startDemo(...args: readonly string[]) {
  return startProgram('main.js', ...args);
}

/** The same for another program of the demo. */
export function startProgram(program: string, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'locks-demo-test-'));
  folders.push(folder);
  const main = fileURLToPath(new URL(`../dist/${program}`, import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [main, ...args], { env: { ...process.env, TMPDIR: folder } });
  const printed = { text: '', errors: '' };
  child.stdout?.on('data', (text: Buffer) => (printed.text += text.toString()));
  child.stderr?.on('data', (text: Buffer) => (printed.errors += text.toString()));
  const end = once(child, 'close').then(([code]) => ({ code: code as number | null, ...printed }));
  return { end, left: () => readdirSync(folder), interrupt: () => child.kill('SIGINT') };
}

/** Four processes, of which the first is killed after 3 of its 6 updates. */
export async function expectExactBalance(...args: readonly string[]): Promise<void> {
  const { end, left } = startDemo('--updates', '6', ...args);
  const { code, text, errors } = await end;
  expect({ code, errors, left: left() }).toEqual({ code: 0, errors: '', left: [] });
  expect(text).toMatch(/without a lock +24 updates, balance \d+: [1-9]\d* lost/);
  expect(text).toMatch(/with a lock +21 updates, balance 21: 0 lost/);
  expect(text).toMatch(/killed while it held the lock, which came free after [1-9]\d*\.\d\d s/);
  expect(text).toMatch(/A late write with its token \d+ is refused/);
}
