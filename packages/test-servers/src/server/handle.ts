import type { ServerAddress } from './address.ts';

/** Options of `ServerHandle.restart`. */
export interface RestartOptions {
  /**
   * `true`: the server finds the data that it had persisted. `false`: it starts empty.
   * @default true
   */
  readonly keepData?: boolean;
  /**
   * Changes the server's files while it does not run; its argument is the folder of its data. Local
   * processes only. When it rejects, the server stays down.
   * @default nothing
   */
  readonly meanwhile?: (dataFolder: string) => Promise<void>;
}

/**
 * One running server. Its operations run one after another, in the order of the calls, and reject
 * once `stop` was called. With an external server (`LOCKS_TEST_<NAME>_URL`) all but `stop` reject,
 * and `stop` leaves the server alone.
 */
export interface ServerHandle extends ServerAddress, AsyncDisposable {
  /** The server's process id while it runs as a local process, else `undefined`. */
  readonly pid: number | undefined;
  /**
   * Freezes the server: connections stay open, nothing is answered. Rejects when it does not run.
   */
  pause(): Promise<void>;
  /** Ends a `pause`. Rejects when the server does not run. */
  resume(): Promise<void>;
  /** SIGKILL; resolves when the server is gone, also when it was before. */
  kill(): Promise<void>;
  /**
   * Starts the server again, whether it runs, is paused or was killed (a running one is shut down
   * in order). Resolves when it answers.
   */
  restart(options?: RestartOptions): Promise<void>;
  /**
   * All that the server has printed, its errors among it. A restart without its data may begin
   * anew.
   */
  log(): Promise<string>;
  /** Ends the server for good, paused or not, and removes its data. May be called again. */
  stop(): Promise<void>;
}

/** What one way of running a server does; the handle decides when. */
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

/** Puts the operations of a server in order and makes `stop` final. */
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
