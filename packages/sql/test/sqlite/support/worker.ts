import { fork } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** A process of its own, which ends with the test. */
export interface Worker {
  /** Resolves to its answer. */
  ask<T>(order: string, details?: object): Promise<T>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts one, with these variables in its environment, and these options of Node. */
export async function startWorker(
  environment: NodeJS.ProcessEnv = {},
  execArgv: readonly string[] = [],
): Promise<Worker> {
  const module = new URL('worker.mjs', import.meta.url);
  const child = fork(module, {
    execArgv: [...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
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

/** Several of them, each with locks on the file. */
export async function startWorkers(
  url: string,
  environments: readonly NodeJS.ProcessEnv[],
  options: object = {},
): Promise<readonly Worker[]> {
  return await Promise.all(
    environments.map(async (environment) => {
      const worker = await startWorker(environment);
      await worker.ask('open', { url, options, ttl: 10_000 });
      return worker;
    }),
  );
}
