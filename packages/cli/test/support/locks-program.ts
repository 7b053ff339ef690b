import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { onTestFinished } from 'vitest';

/** The program, as it is installed. */
export const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** How a program ended. */
export interface Outcome {
  /** As a shell has it. */
  readonly code: number;
  /** What has ended it. */
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

/** A program that was started. */
export interface Started {
  readonly process: ChildProcess & { readonly pid: number };
  /** What it has written by now. */
  readonly written: () => string;
  /** The same of its errors. */
  readonly complaints: () => string;
  readonly ended: Promise<Outcome>;
}

/** A folder of this test, which is removed after it. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'locks-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}

/** The environment of a program whose usual store is in `home`. */
export function environmentIn(home: string): NodeJS.ProcessEnv {
  const { LOCKS_URL: _url, LOCKS_CONFIG: _config, LOCKS_HELD: _held, ...own } = process.env;
  return { ...own, HOME: home, XDG_STATE_HOME: '', NO_COLOR: '1', HISTFILE: '' };
}

/** A user whose usual store is in a folder of its own. */
export interface User {
  readonly home: string;
  start(args: readonly string[], options?: StartOptions): Started;
  /** Starts the program, and waits for its end. */
  locks(...args: readonly string[]): Promise<Outcome>;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the program reads. */
  readonly input?: string;
}

export function createUser(): User {
  const home = ownFolder();
  const start = (args: readonly string[], { cwd = home, env = {}, input }: StartOptions = {}): Started => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd,
      env: { ...environmentIn(home), ...env },
      // Without the terminal of the process that runs the tests, on each machine.
      detached: true,
    });
    if (child.pid === undefined) throw new Error('The program cannot be started.');
    onTestFinished(() => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const ended = new Promise<Outcome>((resolve) => {
      child.on('close', (code, signal) => {
        resolve({ code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], signal, output, errors });
      });
    });
    return { process: child as Started['process'], written: () => output, complaints: () => errors, ended };
  };
  return { home, start, locks: async (...args) => await start(args).ended };
}

/** Locks of this process in the usual store of `user`. */
export async function locksOf({ home }: User): Promise<Locks> {
  const folder = join(home, '.local/state/locks');
  mkdirSync(folder, { recursive: true });
  const locks = await openLocks(`sqlite:${join(folder, 'locks.db')}?migrate=true`, { label: 'web-1' });
  onTestFinished(async () => await locks.close());
  return locks;
}
