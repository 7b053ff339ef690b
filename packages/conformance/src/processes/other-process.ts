import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Claim } from '@locks/core';
import type { ProcessesOption } from '../options.ts';
import { inBackground, within } from '../time.ts';
import type { Method, Reply, Request } from './messages.ts';

/** Another process with a provider on the same store. */
export interface OtherProcess {
  /** Calls a method of its provider. */
  call(method: Method, ...parameters: readonly unknown[]): Promise<unknown>;
  /** Waits for `claim` in that process; resolves to the token of the grant. */
  wait(claim: Claim): Promise<bigint>;
  /** Waits for `claim` in that process; resolves when it is in line. */
  lineUp(claim: Claim): Promise<void>;
  /** Increments the counter in `file` once per claim, each time under that claim's lock. */
  count(file: string, claims: readonly Claim[]): Promise<void>;
  /** Ends it with SIGKILL: nothing of it can tidy up. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts a process and makes it create its provider, within `limit` ms. */
export async function forkProcess({ module, args }: ProcessesOption, limit: number): Promise<OtherProcess> {
  const child = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), {
    // The flags of a test runner are none of its business.
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ask = createCaller(child);
  const kill = killer(child);
  try {
    await within(limit, ask({ kind: 'start', module: locate(module), args }), 'another process to start');
  } catch (error) {
    await kill();
    throw error;
  }
  return {
    call: (method, ...parameters) => ask({ kind: 'call', method, parameters }),
    wait: (claim) => ask({ kind: 'wait', claim }) as Promise<bigint>,
    lineUp: (claim) => ask({ kind: 'line-up', claim }) as Promise<void>,
    count: (file, claims) => ask({ kind: 'count', file, claims }) as Promise<void>,
    kill,
  };
}

function locate(module: string | URL): string {
  if (module instanceof URL) return module.href;
  return isAbsolute(module) ? pathToFileURL(module).href : module;
}

function createCaller(child: ChildProcess): (request: Request) => Promise<unknown> {
  const pending = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let next = 0;
  let ended: Error | undefined;
  const end = (error: Error): void => {
    ended ??= error;
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
  };
  child.on('message', (reply: Reply) => {
    const call = pending.get(reply.id);
    pending.delete(reply.id);
    if ('answer' in reply) call?.resolve(reply.answer);
    else call?.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
  });
  child.once('error', end);
  child.once('exit', (code, signal) =>
    end(new Error(`the other process has ended (${signal ?? `exit code ${code}`})`)),
  );

  return (request) => {
    const call = new Promise<unknown>((resolve, reject) => {
      if (ended !== undefined) {
        reject(ended);
        return;
      }
      const id = next++;
      pending.set(id, { resolve, reject });
      child.send({ id, request }, (error) => {
        if (error !== null) reject(error);
      });
    });
    // A check may leave a call behind when it kills the process.
    return inBackground(call);
  };
}

function killer(child: ChildProcess): () => Promise<void> {
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await gone;
  };
}
