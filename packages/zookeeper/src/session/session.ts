import type { Answer } from '../wire/answer.ts';
import type { Request } from '../wire/request.ts';

/** The members for sending requests. */
export type Sender = Pick<Session, 'id' | 'send' | 'watch'>;

/** One session with the servers, over all its connections. */
export interface Session {
  /** The servers' id of this session. */
  readonly id: bigint;
  /** The negotiated timeout, in ms. */
  readonly timeout: number;
  /** Aborted once, when the session has ended or may have: at `deadline` at the latest. */
  readonly lost: AbortSignal;
  /**
   * Until when the servers certainly keep this session, by the runtime's monotonic clock. Every
   * confirmed write extends it.
   */
  readonly deadline: number;
  /** Compares clocks at each read. The first read after the deadline makes the session lost. */
  readonly alive: boolean;
  /** Requests can be sent now. */
  readonly connected: boolean;
  /**
   * Resolves to the server's answer, which may be an error. All requests of one tick are one write.
   * The server executes and answers them in the order of the calls.
   * @throws `LOCK_UNAVAILABLE` immediately when not connected or lost. Also if the connection ends
   * before the answer: then the request may have been executed.
   */
  send<T>(request: Request<T>): Promise<Answer<T>>;
  /**
   * Watches for a change or the end of the node at `path`. All watches of one path share one watch
   * at the server. Rejects as `send` does.
   * - `watching`: `fired` is called once, never synchronously. The node has changed or ended, or
   * that may have been missed, or the session is lost.
   * - `missing`: the node does not exist, `fired` is not called.
   * - `refused`: there are too many watches.
   */
  watch(path: string, fired: () => void): Promise<'watching' | 'missing' | 'refused'>;
  /** `fired` is no longer called. The last one of a path removes the watch at the server. */
  unwatch(path: string, fired: () => void): void;
}
