import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from './account.ts';
import { guardScript } from './guard-script.ts';
import { freeze, killAll, thaw } from './processes.ts';

/** What to start. */
export interface GuardedProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Variables besides those of this process. @default none */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Removed when this Node process ends before the program does. */
  readonly folder: string;
  /** Standard output and standard error are appended to this file. */
  readonly logFile: string;
  /** The file that is its standard input. @default none */
  readonly inputFile?: string;
  /**
   * Shell commands that run in `folder` after the program was killed because this Node process has
   * ended.
   */
  readonly cleanUp: string;
  /** The user of the program and its guard. @default that of this process */
  readonly account?: Account | undefined;
}

/**
 * A child process with all its descendants, which neither outlives this process nor keeps it alive.
 */
export interface GuardedProcess {
  readonly pid: number;
  /** How it ended, as a part of a sentence; `undefined` while it runs. */
  ended(): string | undefined;
  /** Resolves when it has ended. */
  readonly gone: () => Promise<void>;
  /** SIGSTOP; resolves when all of it is stopped. False: it has ended already. */
  pause(): Promise<boolean>;
  /** Ends a `pause`. False: it has ended already. */
  resume(): Promise<boolean>;
  /** SIGKILL; resolves when all processes are gone. */
  kill(): Promise<void>;
  /**
   * `signal`, and SIGKILL after `patience` ms, even to a stopped process; resolves when the process
   * is gone.
   */
  terminate(signal: NodeJS.Signals, patience: number): Promise<void>;
}

/**
 * Starts a program. Rejects only if no process can be created; a missing program counts as ended.
 */
export async function startGuarded(options: GuardedProcessOptions): Promise<GuardedProcess> {
  const { program, args, environment, folder, logFile, inputFile = '/dev/null', cleanUp, account = {} } = options;
  const input = openSync(inputFile, 'r');
  const log = openSync(logFile, 'a');
  // Its own session: Ctrl-C in a terminal ends this process, which may still need its server while
  // it shuts down.
  const child = spawn('/bin/sh', ['-c', guardScript, 'sh', folder, cleanUp, program, ...args], {
    ...account,
    cwd: folder,
    env: { ...process.env, ...environment },
    detached: true,
    // Not standard input: Node closes that when the child exits, before the guard can be notified.
    stdio: [input, log, log, 'pipe'],
  });
  closeSync(input);
  closeSync(log);
  const pipe = child.stdio[3];
  if (!(pipe instanceof Socket)) throw new Error(`${program} was started without a pipe to its guard`);
  // A guard that has ended need not be notified.
  pipe.on('error', () => {});
  pipe.unref();
  let end: string | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      end = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
      pipe.end('\n');
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} has no process id`);
  child.unref();

  async function gone(): Promise<void> {
    child.ref();
    await exited;
  }

  const kill = async (): Promise<void> => {
    // Later another process may have the id.
    if (end === undefined) await killAll(pid);
    await gone();
  };

  return {
    pid,
    ended: () => end,
    gone,
    async pause() {
      if (end === undefined) await freeze(pid);
      return end === undefined;
    },
    async resume() {
      if (end === undefined) await thaw(pid);
      return end === undefined;
    },
    kill,
    async terminate(signal, patience) {
      if (end !== undefined) return;
      child.kill(signal);
      await thaw(pid);
      const inTime = new AbortController();
      const late = delay(patience, undefined, { signal: inTime.signal }).then(kill, () => {});
      await gone();
      inTime.abort();
      await late;
    },
  };
}
