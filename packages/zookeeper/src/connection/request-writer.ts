import type { Socket } from 'node:net';
import type { Runtime } from '@locks/core/adapter';
import { Writer } from '../wire/writer.ts';
import type { Request } from '../wire/request.ts';

export interface RequestWriterParts {
  readonly socket: Socket;
  readonly runtime: Runtime;
  readonly firstXid: number;
}

const lastXid = 2 ** 31 - 1;

/**
 * In bytes. The servers close the connection for a longer request: their default `jute.maxbuffer`.
 */
const longestRequest = 0xf_ffff;

/** Writes the requests of one connection. All requests of one tick are sent together. */
export class RequestWriter {
  readonly #parts: RequestWriterParts;
  readonly #writer: Writer = new Writer();
  readonly #flush: () => void;
  #nextXid: number;
  #sentAt = 0;
  #flushing = false;
  #closed = false;

  constructor(parts: RequestWriterParts) {
    this.#parts = parts;
    this.#nextXid = parts.firstXid;
    this.#flush = () => {
      this.#flushing = false;
      if (!this.#closed && this.#writer.length > 0) parts.socket.write(this.#writer.take());
    };
  }

  /** Just before the latest request was written, by the runtime's clock, in ms. */
  get sentAt(): number {
    return this.#sentAt;
  }

  /**
   * Returns the xid of the request. Throws `RangeError` for a number out of range or a request that
   * is too long: then it is not sent.
   */
  write(request: Request<unknown>): number {
    const xid = request.xid ?? this.#nextXid;
    const writer = this.#writer;
    const frame = writer.beginFrame();
    try {
      writer.int(xid);
      writer.int(request.op);
      request.write(writer);
      const length = writer.length - frame - 4;
      checkLength(request.what, length);
    } catch (error) {
      writer.truncate(frame);
      throw error;
    }
    writer.endFrame(frame);
    if (xid === this.#nextXid) this.#nextXid = xid === lastXid ? 1 : xid + 1;
    if (this.#flushing) return xid;
    this.#flushing = true;
    this.#sentAt = this.#parts.runtime.clock.now();
    process.nextTick(this.#flush);
    return xid;
  }

  /** From now on nothing is sent. */
  close(): void {
    this.#closed = true;
  }
}

/** Throws `RangeError` for a request that the servers do not accept. */
export function checkLength(what: string, length: number): void {
  if (length > longestRequest)
    throw new RangeError(
      `${what} takes ${length} bytes; the longest request that ZooKeeper accepts is ${longestRequest}`,
    );
}
