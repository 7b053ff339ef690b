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
  /** Just before the connect request was written, by the runtime's clock, in ms. */
  readonly openedAt: number;
  /** The highest transaction that the server has seen, for the next server. */
  readonly lastZxid: bigint;
  /** When bytes arrived last, by the runtime's clock, in ms. */
  readonly lastHeardAt: number;
  /** When a reply arrived last; events do not count. */
  readonly lastAnsweredAt: number;
  /**
   * How many requests wait for replies: at most 256, plus those of the session. Further requests
   * wait to be sent.
   */
  readonly unanswered: number;
  /** Not after the oldest of them was written, by the runtime's clock, in ms. */
  readonly oldestUnansweredAt: number | undefined;
  /** `send` rejects. */
  readonly ended: boolean;
  /**
   * Resolves to the server's answer, which may be an error. All requests of one tick are one write,
   * unless many are in flight. The server answers them in the order of the calls. An event before
   * the reply is delivered before this resolves. So may be an event right after the reply: expect
   * the event of a watch from the call on.
   * @throws `ConnectionLostError` if the connection ends before the reply. `RequestUnsentError` if
   * it ends before the request is sent, or has ended. `RangeError` for a number out of range or a
   * request that is too long: then it was not sent.
   */
  send<T>(request: Request<T>, options?: SendOptions): Promise<Answer<T>>;
  /** Ends the connection, not the session. Requests without a reply reject. Idempotent. */
  destroy(cause: Error): void;
  /**
   * Ends the session, then the connection. Resolves when both have ended, or after `within` ms,
   * when the connection has ended. Never rejects.
   */
  end(within: number): Promise<void>;
}
