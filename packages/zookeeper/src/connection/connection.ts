import type { Answer } from '../wire/answer.ts';
import type { Request } from '../wire/request.ts';
import type { Address } from './address.ts';

/** How one request is sent. */
export interface SendOptions {
  /**
   * Does not keep the process alive while it waits for its reply: for heartbeats.
   * @default false
   */
  readonly background?: boolean;
}

/** One connection to one server, from its handshake to its end. It never reconnects. */
export interface Connection {
  readonly address: Address;
  readonly session: {
    readonly id: bigint;
    readonly password: Buffer;
    /** Negotiated, in ms. */
    readonly timeout: number;
  };
  /** When the connect request was written, by the runtime's clock, in ms: read just before. */
  readonly openedAt: number;
  /** The highest transaction that the server has seen. The next server is told. */
  readonly lastZxid: bigint;
  /** When bytes came last, by the runtime's clock, in ms. */
  readonly lastHeardAt: number;
  /** When a reply came last: an event is none. */
  readonly lastAnsweredAt: number;
  /**
   * How many requests wait for their replies: at most 256, and those of the session. Further
   * requests wait to be sent.
   */
  readonly unanswered: number;
  /** When the oldest of them was sent, by the runtime's clock, in ms: not after it was written. */
  readonly oldestUnansweredAt: number | undefined;
  /** `send` rejects. */
  readonly ended: boolean;
  /**
   * Resolves to the server's answer, which may be an error. All requests of one tick go out in one
   * write, unless many are under way. The server answers them in the order of the calls. An event
   * that comes before the reply is delivered before this resolves. An event right after the reply
   * may be, too: expect the event of a watch from the call on.
   * @throws `ConnectionLostError` when the connection ends before the reply. `RequestUnsentError`
   * when it ends before the request is sent, or has ended.
   * `RangeError` for a number out of range or a request that is too long: then it was not sent.
   */
  send<T>(request: Request<T>, options?: SendOptions): Promise<Answer<T>>;
  /** Ends the connection, not the session. What waits for a reply rejects. Idempotent. */
  destroy(cause: Error): void;
  /**
   * Ends the session, then the connection. Resolves when both have ended, or after `within` ms,
   * when the connection has ended. Never rejects.
   */
  end(within: number): Promise<void>;
}
