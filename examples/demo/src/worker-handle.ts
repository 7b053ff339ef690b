import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { WorkEvent } from './events.ts';
import { Failure } from './failure.ts';
import type { Assignment, Order, Report } from './worker-messages.ts';

/** A worker process, as the demo sees it. */
export interface WorkerHandle {
  /** It has connected and waits for `begin`. */
  readonly ready: Promise<void>;
  /** It has made all its updates, or was killed by `kill`. Rejects when it failed or died by itself. */
  readonly finished: Promise<void>;
  /** The process is no more. Never rejects. */
  readonly gone: Promise<unknown>;
  begin(): void;
  kill(): void;
}

const program = fileURLToPath(new URL('./worker-process.js', import.meta.url));

export function startWorker(assignment: Assignment, observe: (event: WorkEvent) => void): WorkerHandle {
  // 'advanced': tokens are bigints.
  const child = fork(program, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const name = `Worker ${assignment.worker}`;
  let killed = false;
  const order = (message: Order): void => {
    // A worker that is gone is noticed by 'exit'.
    child.send(message, () => {});
  };

  const ready = createOutcome();
  const finished = createOutcome();
  const fail = (reason: string): void => {
    const failure = new Failure(`${name} ${reason}`);
    ready.reject(failure);
    finished.reject(failure);
  };

  child.on('message', (message: Report) => {
    if (killed) return;
    if (message.kind === 'ready') ready.resolve();
    else if (message.kind === 'failed') fail(`failed. ${message.message}`);
    else if (message.kind === 'finished') {
      finished.resolve();
      child.disconnect();
    } else observe(message);
  });
  child.on('error', (error) => fail(`could not be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (killed) finished.resolve();
    fail(`died unexpectedly (${signal ?? `exit code ${code}`}).`);
  });
  order({ kind: 'prepare', assignment });

  return {
    ready: ready.promise,
    finished: finished.promise,
    gone: child.pid === undefined ? Promise.resolve() : once(child, 'exit').catch(() => {}),
    begin: () => order({ kind: 'begin' }),
    kill() {
      killed = true;
      child.kill('SIGKILL');
    },
  };
}

interface Outcome {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(reason: Error): void;
}

/** A promise that is settled from outside, and whose rejection nobody has to await. */
function createOutcome(): Outcome {
  let settle: Omit<Outcome, 'promise'> | undefined;
  const promise = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  promise.catch(() => {});
  return { promise, resolve: () => settle?.resolve(), reject: (reason) => settle?.reject(reason) };
}
