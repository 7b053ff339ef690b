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
import { ConnectionClosedError, fatalError } from './errors.ts';
import { RequestQueue } from './request-queue.ts';
import { RequestWriter } from './request-writer.ts';

/** The parts of a connection after the handshake. */
export interface OpenParts extends Pick<Connection, 'address' | 'session' | 'openedAt' | 'lastZxid'> {
  readonly firstXid: number;
  readonly socket: Socket;
  readonly runtime: Runtime;
  onEvent(event: WatchEvent): void;
  onEnd(cause: Error): void;
}

const eventXid = -1;

/** The requests and replies of one connection. */
export class OpenConnection implements Connection {
  readonly address: Address;
  readonly session: Connection['session'];
  readonly openedAt: number;
  lastZxid: bigint;
  lastHeardAt: number;
  lastAnsweredAt: number;
  readonly #parts: OpenParts;
  readonly #writer: RequestWriter;
  readonly #requests: RequestQueue;

  constructor(parts: OpenParts) {
    const { address, socket } = parts;
    const writer = new RequestWriter(parts);
    this.address = address;
    this.session = parts.session;
    this.openedAt = parts.openedAt;
    this.lastZxid = parts.lastZxid;
    this.lastHeardAt = parts.runtime.clock.now();
    this.lastAnsweredAt = this.lastHeardAt;
    this.#parts = parts;
    this.#writer = writer;
    this.#requests = new RequestQueue({
      address,
      transmit: ({ request }) => ({ xid: writer.write(request), sentAt: writer.sentAt }),
      hold(alive) {
        if (alive) socket.ref();
        else socket.unref();
      },
    });
    socket.unref();
  }

  get unanswered(): number {
    return this.#requests.size;
  }

  get oldestUnansweredAt(): number | undefined {
    return this.#requests.oldest?.[1].sentAt;
  }

  get ended(): boolean {
    return this.#requests.lost !== undefined;
  }

  send<T>(request: Request<T>, options?: SendOptions): Promise<Answer<T>> {
    return this.#requests.send(request, options);
  }

  destroy(cause: Error): void {
    if (this.ended) return;
    this.#writer.close();
    this.#requests.end(cause);
    this.#parts.socket.destroy();
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
    // Whatever the answer, or without one: the server ends the session eventually.
    await this.send(closeSession).catch(() => {});
    runtime.clearTimer(timer);
    this.destroy(new ConnectionClosedError('closed'));
  }

  /** Bytes have arrived. */
  heard(): void {
    this.lastHeardAt = this.#parts.runtime.clock.now();
  }

  /** A reply or an event. Throws when the connection must end. */
  receive(frame: Reader): void {
    // Ended by the receiver of an earlier event.
    if (this.ended) return;
    const xid = frame.int();
    const zxid = frame.long();
    const code = frame.int();
    if (xid === eventXid) {
      const event = readEvent(frame);
      frame.end();
      this.#parts.onEvent(event);
      return;
    }
    const [sending, sent] = this.#requests.oldest ?? [];
    if (sending === undefined) throw new ProtocolError(`a reply to request ${xid}, where none is due`);
    // Replies come in the order of the requests.
    if (sent?.xid !== xid) throw new ProtocolError(`a reply to request ${xid}, where one to ${sent?.xid} is due`);
    const answer = this.#read(frame, sending.request, code, zxid);
    // The latest one, as in the official clients: a garbled one must not last.
    if (zxid > 0n) this.lastZxid = zxid;
    this.lastAnsweredAt = this.lastHeardAt;
    this.#requests.answered(sending, answer);
  }

  #read(frame: Reader, request: Request<unknown>, code: number, zxid: bigint): Answer<unknown> {
    if (code === 0) {
      const value = request.read(frame);
      frame.end();
      return { ok: true, value, zxid };
    }
    const fatal = fatalCode(code);
    if (fatal === undefined) return { ok: false, error: serverError(code), code, zxid };
    throw fatalError(this.address, fatal, request.what);
  }
}
