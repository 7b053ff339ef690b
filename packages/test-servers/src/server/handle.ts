import type { ServerAddress } from './address.ts';

/** Options of `ServerHandle.restart`. */
export interface RestartOptions {
  /**
   * `true`: the server keeps its persisted data. `false`: it starts empty.
   * @default true
   */
  readonly keepData?: boolean;
  /**
   * Changes the server's files while it is down; its argument is the folder of its data. Local
   * processes only. If it rejects, the server stays down.
   * @default nothing
   */
  readonly meanwhile?: (dataFolder: string) => Promise<void>;
}

/**
 * One running server. Its operations run one after another, in the order of the calls, and reject
 * after `stop`. With an external server (`LOCKS_TEST_<NAME>_URL`) all but `stop` reject, and `stop`
 * does nothing.
 */
export interface ServerHandle extends ServerAddress, AsyncDisposable {
  /** The server's process id while it runs as a local process, else `undefined`. */
  readonly pid: number | undefined;
  /**
   * Pauses the server: connections stay open, but nothing is answered. Rejects if it is not
   * running.
   */
  pause(): Promise<void>;
  /** Ends a `pause`. Rejects if the server is not running. */
  resume(): Promise<void>;
  /** SIGKILL; resolves when the server is gone, even if it was before. */
  kill(): Promise<void>;
  /**
   * Restarts the server, whether it runs, is paused or was killed (a running one is shut down
   * gracefully). Resolves when it answers.
   */
  restart(options?: RestartOptions): Promise<void>;
  /** All output of the server, including errors. A restart without its data may clear it. */
  log(): Promise<string>;
  /** Ends the server permanently, paused or not, and removes its data. Idempotent. */
  stop(): Promise<void>;
}

/** One way of running a server; the handle decides when. */
export interface ServerControls {
  pid(): number | undefined;
  pause(): Promise<void>;
  resume(): Promise<void>;
  kill(): Promise<void>;
  restart(options: { readonly keepData: boolean; readonly meanwhile?: RestartOptions['meanwhile'] }): Promise<void>;
  log(): Promise<string>;
  stop(): Promise<void>;
}

/** A server that was started: its address and its controls. */
export interface StartedServer {
  readonly address: ServerAddress;
  readonly controls: ServerControls;
}

/** Serializes the operations of a server and makes `stop` final. */
export function createHandle({ address, controls }: StartedServer): ServerHandle {
  let last: Promise<unknown> = Promise.resolve();
  let stopped: Promise<void> | undefined;

  function inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const result = last.then(operation);
    last = result.catch(() => {});
    return result;
  }

  function whileStarted<T>(name: string, operation: () => Promise<T>): Promise<T> {
    if (stopped !== undefined) {
      return Promise.reject(
        new Error(`${name}() after stop() of the server at ${address.host}:${address.port}: start a new one`),
      );
    }
    return inTurn(operation);
  }

  function stop(): Promise<void> {
    stopped ??= inTurn(() => controls.stop());
    return stopped;
  }

  return {
    ...address,
    get pid() {
      return controls.pid();
    },
    pause: () => whileStarted('pause', () => controls.pause()),
    resume: () => whileStarted('resume', () => controls.resume()),
    kill: () => whileStarted('kill', () => controls.kill()),
    restart: (options) => whileStarted('restart', () => controls.restart({ keepData: true, ...options })),
    log: () => whileStarted('log', () => controls.log()),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
