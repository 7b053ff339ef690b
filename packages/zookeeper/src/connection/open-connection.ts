import type { Socket } from 'node:net';
import type { Runtime } from '@locks/core/adapter';
import type { Answer } from '../wire/answer.ts';
import { fatalCode, serverError } from '../wire/codes.ts';
import type { Reader } from '../wire/reader.ts';
import { ProtocolError } from '../wire/protocol-error.ts';
import { readEvent } from '../wire/records.ts';
import type { WatchEvent } from '../wire/records.ts';
import type { Request } from '../wire/request.ts';
import { closeSession } from '../wire/session-requests.ts';
import type { Address } from './address.ts';
import type { Connection, SendOptions } from './connection.ts';
import {
  AuthFailedError,
  ConnectionClosedError,
  ConnectionLostError,
  RequestUnsentError,
  FatalAnswerError,
  SessionExpiredError,
} from './errors.ts';
import { RequestWriter } from './request-writer.ts';

/** What a connection is made of, once the handshake is over. */
export interface OpenParts {
  readonly address: Address;
  readonly session: Connection['session'];
  readonly openedAt: number;
  readonly lastZxid: bigint;
  readonly firstXid: number;
  readonly socket: Socket;
  readonly runtime: Runtime;
  onEvent(event: WatchEvent): void;
  onEnd(cause: Error): void;
}

const eventXid = -1;

/**
 * So many requests are under way at once. With fewer, a server is not kept busy. With more, a
 * heartbeat waits longer for its answer.
 */
const window = 256;

/** A request that is to be sent. */
interface Sending {
  readonly request: Request<unknown>;
  /** Does not keep the process alive. */
  readonly background: boolean;
  readonly resolve: (answer: Answer<unknown>) => void;
  readonly reject: (error: Error) => void;
}

/** A request whose reply has not come. */
interface Pending extends Sending {
  readonly xid: number;
  /** By the clock of the runtime, in ms: not after it was written. */
  readonly sentAt: number;
}

/** The requests and replies of one connection. */
export class OpenConnection implements Connection {
  readonly address: Address;
  readonly session: Connection['session'];
  readonly openedAt: number;
  readonly #parts: OpenParts;
  readonly #socket: Socket;
  readonly #writer: RequestWriter;
  /** Replies come in the order of the requests. */
  readonly #unanswered: Pending[] = [];
  /** How many of these keep the process alive. */
  #foreground = 0;
  /** What waits to be sent, in its order. */
  readonly #backlog: Sending[] = [];
  #lastZxid: bigint;
  #lastHeardAt: number;
  #lastAnsweredAt: number;
  #lost: ConnectionLostError | undefined;

  constructor(parts: OpenParts) {
    this.address = parts.address;
    this.session = parts.session;
    this.openedAt = parts.openedAt;
    this.#parts = parts;
    this.#socket = parts.socket;
    this.#writer = new RequestWriter(parts);
    this.#lastZxid = parts.lastZxid;
    this.#lastHeardAt = parts.runtime.clock.now();
    this.#lastAnsweredAt = this.#lastHeardAt;
    this.#socket.unref();
  }

  get lastZxid(): bigint {
    return this.#lastZxid;
  }

  get lastHeardAt(): number {
    return this.#lastHeardAt;
  }

  get lastAnsweredAt(): number {
    return this.#lastAnsweredAt;
  }

  get unanswered(): number {
    return this.#unanswered.length;
  }

  get oldestUnansweredAt(): number | undefined {
    return this.#unanswered[0]?.sentAt;
  }

  get ended(): boolean {
    return this.#lost !== undefined;
  }

  send<T>(request: Request<T>, options?: SendOptions): Promise<Answer<T>> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== undefined) {
        reject(new RequestUnsentError(this.address, this.#lost.cause as Error));
        return;
      }
      const background = options?.background ?? false;
      const sending = { request, background, resolve: resolve as (answer: Answer<unknown>) => void, reject };
      // A heartbeat that waited behind a thousand requests would be late, and the session lost.
      const urgent = background || request.xid !== undefined;
      if (urgent || (this.#backlog.length === 0 && this.#unanswered.length < window)) this.#dispatch(sending);
      else this.#backlog.push(sending);
    });
  }

  destroy(cause: Error): void {
    if (this.#lost !== undefined) return;
    const lost = new ConnectionLostError(this.address, cause);
    this.#lost = lost;
    this.#writer.close();
    this.#socket.destroy();
    for (const { reject } of this.#unanswered.splice(0)) reject(lost);
    const unsent = new RequestUnsentError(this.address, cause);
    for (const { reject } of this.#backlog.splice(0)) reject(unsent);
    // After the effects of the rejections, and after the code that waited for this connection.
    setImmediate(() => this.#parts.onEnd(cause));
  }

  async end(within: number): Promise<void> {
    const { runtime } = this.#parts;
    const timer = runtime.setTimer(
      () => this.destroy(new ConnectionClosedError(`closed; the server did not answer within ${within} ms`)),
      within,
      false,
    );
    // Whatever the answer, and if there is none: the server ends the session in the end.
    await this.send(closeSession).catch(() => {});
    runtime.clearTimer(timer);
    this.destroy(new ConnectionClosedError('closed'));
  }

  /** Bytes have come. */
  heard(): void {
    this.#lastHeardAt = this.#parts.runtime.clock.now();
  }

  /** A reply or an event. Throws when the connection must end. */
  receive(frame: Reader): void {
    // Ended by the receiver of an event before it.
    if (this.#lost !== undefined) return;
    const xid = frame.int();
    const zxid = frame.long();
    const code = frame.int();
    if (xid === eventXid) {
      const event = readEvent(frame);
      frame.end();
      this.#parts.onEvent(event);
      return;
    }
    const [pending] = this.#unanswered;
    if (pending === undefined) throw new ProtocolError(`a reply to request ${xid}, where none is due`);
    if (pending.xid !== xid) throw new ProtocolError(`a reply to request ${xid}, where one to ${pending.xid} is due`);
    const answer = this.#read(frame, pending.request, code, zxid);
    if (zxid > this.#lastZxid) this.#lastZxid = zxid;
    this.#unanswered.shift();
    this.#lastAnsweredAt = this.#lastHeardAt;
    if (!pending.background && --this.#foreground === 0) this.#socket.unref();
    pending.resolve(answer);
    if (this.#backlog.length > 0) this.#dispatchNext();
  }

  /** Sends what may be sent now of what waits. */
  #dispatchNext(): void {
    for (const sending of this.#backlog.splice(0, Math.max(0, window - this.#unanswered.length))) {
      try {
        this.#dispatch(sending);
      } catch (error) {
        sending.reject(error as Error);
      }
    }
  }

  #dispatch({ request, background, resolve, reject }: Sending): void {
    const xid = this.#writer.write(request);
    const { sentAt } = this.#writer;
    this.#unanswered.push({ xid, request, sentAt, background, resolve, reject });
    if (!background && ++this.#foreground === 1) this.#socket.ref();
  }

  #read(frame: Reader, request: Request<unknown>, code: number, zxid: bigint): Answer<unknown> {
    if (code === 0) {
      const value = request.read(frame);
      frame.end();
      return { ok: true, value, zxid };
    }
    const fatal = fatalCode(code);
    if (fatal === undefined) return { ok: false, error: serverError(code), code, zxid };
    if (fatal === 'SESSION_EXPIRED') throw new SessionExpiredError(this.address);
    if (fatal === 'AUTH_FAILED') throw new AuthFailedError(this.address, undefined);
    throw new FatalAnswerError(this.address, fatal, request.what);
  }
}
