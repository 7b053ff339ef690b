import { fork } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** A process of its own, which ends with the test. */
export interface Worker {
  /** Resolves to its answer. */
  ask<T>(order: string, details?: object): Promise<T>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts one, with these options of Node. */
export async function startWorker(...execArgv: readonly string[]): Promise<Worker> {
  const module = new URL('worker.mjs', import.meta.url);
  const child = fork(module, {
    execArgv: [...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return {
    async ask<T>(order: string, details: object = {}): Promise<T> {
      const answered = once(child, 'message');
      child.send({ order, ...details });
      const [{ answer, error }] = (await answered) as [{ readonly answer: T; readonly error?: string }];
      if (error !== undefined) throw new Error(error);
      return answer;
    },
    kill: (signal) => void child.kill(signal),
  };
}
