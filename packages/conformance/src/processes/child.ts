import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inBackground } from '../checks/time.ts';
import type { Envelope, Reply } from './envelope.ts';
import { pause, resume } from './pausing.ts';

/** A child process whose module calls `serveParent`. */
export interface Child<Request> {
  /**
   * Sends a request. Resolves to its answer; rejects with its error, or when the process has ended.
   */
  ask(request: Request): Promise<unknown>;
  /** Resolves when the process has ended, to its exit code or the signal that ended it. */
  readonly gone: Promise<number | NodeJS.Signals>;
  /**
   * Stops it with SIGSTOP; resolves when it is stopped. Rejects on Windows, which has no SIGSTOP.
   */
  pause(): Promise<void>;
  /** Continues it after `pause`. */
  resume(): void;
  /** Ends it with SIGKILL, without clean-up. Resolves when it has ended. */
  kill(): Promise<void>;
}

/** How a child process is started. */
export interface ChildOptions {
  /** Its name in error messages. @default 'the other process' */
  readonly name?: string;
  /** The flags of its Node. @default none: those of a test runner do not apply */
  readonly execArgv?: readonly string[];
  /** @default that of this process */
  readonly cwd?: string;
  /** The file descriptor of its output. @default that of this process */
  readonly output?: number;
}

/** Starts `module` as a process that ends with this one. */
export function startChild<Request>(module: string | URL, options: ChildOptions = {}): Child<Request> {
  const { name = 'the other process', execArgv = [], cwd, output = 'inherit' } = options;
  const child = fork(pathOf(module), {
    execArgv: [...execArgv],
    ...(cwd === undefined ? {} : { cwd }),
    // Tokens are of type bigint, which JSON lacks.
    serialization: 'advanced',
    stdio: ['ignore', output, output, 'ipc'],
  });
  const gone = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 1));
    // The event of a process that could not be started; it has no exit.
    child.once('error', () => child.pid === undefined && resolve(1));
  });
  return {
    ask: createCaller<Request>(child, name),
    gone,
    pause: () => pause(child),
    resume: () => resume(child),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function pathOf(module: string | URL): string {
  return module instanceof URL || !isAbsolute(module) ? fileURLToPath(module) : module;
}

function createCaller<Request>(child: ChildProcess, name: string): Child<Request>['ask'] {
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
    else call?.reject(Object.assign(new Error(reply.error.message), reply.error));
  });
  child.once('error', end);
  child.once('exit', (code, signal) => end(new Error(`${name} has ended (${signal ?? `exit code ${code}`})`)));

  return (request) => {
    const call = new Promise<unknown>((resolve, reject) => {
      if (ended !== undefined) {
        reject(ended);
        return;
      }
      const id = next++;
      pending.set(id, { resolve, reject });
      child.send({ id, request } satisfies Envelope<Request>, (error) => {
        if (error !== null) reject(error);
      });
    });
    // A caller may leave a request behind when it kills the process.
    return inBackground(call);
  };
}
