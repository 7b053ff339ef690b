import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The shell becomes the server (`exec`), so signals to the child reach the server itself. Before that it leaves a guard behind,
 * which reads the pipe that this process holds the other end of: a line says that the server has ended; the end of the pipe
 * says that this process has, in whatever way, SIGKILL included. Then the guard kills the server and removes its folder.
 */
const guard = `
( IFS= read -r _ <&3 || { kill -KILL $$; rm -rf -- "$1"; } ) >/dev/null 2>&1 &
shift
exec "$@" 3<&-
`;

/** What to start. */
export interface GuardedProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Removed when this Node process ends before the program does. */
  readonly folder: string;
  /** Standard output and standard error are appended to this file. */
  readonly logFile: string;
}

/** A child process that does not outlive this one, nor keep it alive. */
export interface GuardedProcess {
  readonly pid: number;
  /** How it ended, as a part of a sentence; `undefined` while it runs. */
  ended(): string | undefined;
  /** False: it has ended already. */
  signal(signal: NodeJS.Signals): boolean;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM, and SIGKILL after `patience` ms, to a stopped process as well; resolves when the process is gone. */
  terminate(patience: number): Promise<void>;
}

/** Starts a program. Rejects only when no process can be made; a program that is missing is one that has ended. */
export async function startGuarded({ program, args, folder, logFile }: GuardedProcessOptions): Promise<GuardedProcess> {
  const log = openSync(logFile, 'a');
  // Its own session: Ctrl-C in a terminal ends this process, which may still want to talk to its server while it shuts down.
  const child = spawn('/bin/sh', ['-c', guard, 'sh', folder, program, ...args], {
    cwd: folder,
    detached: true,
    // Not standard input: Node closes that when the child exits, before the guard can be told.
    stdio: ['ignore', log, log, 'pipe'],
  });
  closeSync(log);
  const pipe = child.stdio[3];
  if (!(pipe instanceof Socket)) throw new Error(`${program} was started without a pipe to its guard`);
  // A guard that somebody has ended need not be told anything.
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

  return {
    pid,
    ended: () => end,
    signal: (signal) => child.kill(signal),
    kill() {
      child.kill('SIGKILL');
      return gone();
    },
    async terminate(patience) {
      child.kill('SIGTERM');
      child.kill('SIGCONT');
      const inTime = new AbortController();
      const late = delay(patience, undefined, { signal: inTime.signal }).then(
        () => child.kill('SIGKILL'),
        () => {},
      );
      await gone();
      inTime.abort();
      await late;
    },
  };
}
