import type { Answer } from '../wire/answer.ts';
import type { Request } from '../wire/request.ts';

/** What requests are sent over. */
export type Sender = Pick<Generation, 'id' | 'send' | 'watch'>;

/** One session with the server, from its beginning to its end; the next one is another generation. */
export interface Generation {
  /** The server's number of this session. */
  readonly id: bigint;
  /** The negotiated timeout, in ms. */
  readonly timeout: number;
  /** Aborted once, when the session has ended or may have: at `deadline` at the latest. */
  readonly lost: AbortSignal;
  /** By the runtime's monotonic clock: until when the servers certainly keep this session. Moves on with every confirmed write. */
  readonly deadline: number;
  /** A comparison of clocks at the call, not a flag: whoever looks first after the deadline makes it lost. */
  readonly alive: boolean;
  /** There is a connection that requests can be sent over now. */
  readonly connected: boolean;
  /**
   * All requests of one tick go out in one write; they are executed and answered in the order of the calls. Resolves to the server's
   * answer, errors among it.
   * @throws `LOCK_UNAVAILABLE` at once when not connected or lost, and when the connection ends before the answer (then it is unknown
   * what became of the request).
   */
  send<T>(request: Request<T>): Promise<Answer<T>>;
  /**
   * Watches for a change or the end of the node at `path`. `watching`: `fired` will be called once, never synchronously, when it changes or
   * ends, when that may have been missed, and when the session is lost. `missing`: there is no such node, `fired` is not called.
   * `refused`: there are too many watches. However many watch one path, the server has one watch. Rejects as `send` does.
   */
  watch(path: string, fired: () => void): Promise<'watching' | 'missing' | 'refused'>;
  /** `fired` is not called any more; the server is told when nobody watches `path` any more. */
  unwatch(path: string, fired: () => void): void;
}

/** The session of one process: one generation after another. */
export interface Sessions {
  /** The generation that can be used now, after its preparation; waits for a connection if need be.
   * @throws `LOCK_UNAVAILABLE` after `within` ms; `LOCK_MISCONFIGURED` for refused credentials or servers that cannot be used; `LOCK_CLOSED`.
   */
  ready(within: number): Promise<Generation>;
  /** The generation that is alive, connected or not; `undefined` before the first and after a loss. */
  readonly current: Generation | undefined;
  /** Why there is no connection at present, if that is known. */
  readonly failure: unknown;
  /** Ends the session at the server, so that its nodes go at once, or leaves that to its timeout when no server answers. Idempotent. */
  close(): Promise<void>;
}
