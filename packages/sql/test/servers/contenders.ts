import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import type { SqlOptions } from '../../src/index.ts';

/** What a contending process is to do. */
export interface Task {
  readonly url: string;
  readonly key: string;
  readonly workers: number;
  readonly rounds: number;
  readonly ttl: number;
  readonly options?: SqlOptions;
}

/** A process that is ready to contend. */
export interface Contender {
  /** What its wall clock said when it began, in ms since the epoch. */
  readonly wallClock: number;
  /** The tokens of its leases, in the order in which it had them. */
  contend(task: Task): Promise<readonly bigint[]>;
  /** Stops it, or lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when it has ended, as it does after `contend`. */
  readonly ended: Promise<unknown>;
  /** Ends it as it stands. */
  kill(): Promise<void>;
}

/** Starts a process, with more in its environment. It ends with the test at the latest. */
export async function startContender(environment: Readonly<Record<string, string>> = {}): Promise<Contender> {
  const child = fork(new URL('contender.mjs', import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const { wallClock } = await said<{ readonly wallClock: number }>(child);
  return {
    wallClock,
    ended,
    async contend(task) {
      const answer = said<{ readonly tokens: readonly string[] }>(child);
      child.send(task);
      return (await answer).tokens.map(BigInt);
    },
    signal(name) {
      child.kill(name);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * All of them contend for one key. Expects that they are served one at a time, by what tokens say,
 * and gives the tokens.
 */
export async function contendInTurn(
  contenders: readonly Contender[],
  task: Task,
  options: readonly Partial<Task>[] = [],
): Promise<readonly bigint[]> {
  const tokens = await Promise.all(contenders.map((each, index) => each.contend({ ...task, ...options[index] })));
  for (const own of tokens) expect(own).toEqual(own.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(new Set(tokens.flat()).size).toBe(contenders.length * task.workers * task.rounds);
  return tokens.flat();
}

async function said<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A contender ended with ${String(code)} before it was done.`);
  });
  // It may end in order after it has said what was waited for.
  ended.catch(() => {});
  const [message] = (await Promise.race([once(child, 'message'), ended])) as readonly unknown[];
  return message as T;
}
