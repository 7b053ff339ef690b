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
  /** The highest transaction that the server is known to have seen: to be told to the next server. */
  readonly lastZxid: bigint;
  /** When bytes came last, by the runtime's clock, in ms. */
  readonly lastHeardAt: number;
  /** When a reply came last: an event is none. */
  readonly lastAnsweredAt: number;
  /** How many requests wait for their replies: 256 at most, besides those of the session itself; others wait to be sent. */
  readonly unanswered: number;
  /** When the oldest of them was sent, by the runtime's clock, in ms: not after it was written. */
  readonly oldestUnansweredAt: number | undefined;
  /** `send` rejects. */
  readonly ended: boolean;
  /**
   * All requests of one tick go out in one write, unless many are under way; they are answered in the order of the calls. Resolves to the server's answer, errors
   * among it. An event that comes before the reply is delivered before this resolves, one that comes right after it perhaps as well:
   * whoever sets a watch must expect its event from the call on.
   * @throws `ConnectionLostError` when the connection ends before the reply, or has ended; `RangeError` for a number that is
   * none or a request that is too long: then nothing was sent.
   */
  send<T>(request: Request<T>, options?: SendOptions): Promise<Answer<T>>;
  /** Ends the connection, not the session. What waits for a reply rejects. Idempotent. */
  destroy(cause: Error): void;
  /** Ends the session, then the connection; resolves when both have ended, or the connection alone after `within` ms. Never rejects. */
  end(within: number): Promise<void>;
}
