import { ProtocolError } from './protocol-error.ts';
import { Reader } from './reader.ts';

/**
 * Splits the bytes of one connection into frames: a length of four bytes, then that many bytes.
 * Copies only frames that arrive in parts.
 */
export class FrameSplitter {
  readonly #limit: number;
  readonly #receive: (frame: Reader) => void;
  readonly #reader: Reader = new Reader();
  readonly #header: Buffer = Buffer.alloc(4);
  #headerLength = 0;
  /** The frame that began in an earlier chunk. */
  #partial: Buffer | undefined;
  #partialLength = 0;

  /**
   * @param limit The longest frame, in bytes.
   * @param receive Called with each frame, which it must have read when it returns.
   */
  constructor(limit: number, receive: (frame: Reader) => void) {
    this.#limit = limit;
    this.#receive = receive;
  }

  /**
   * @throws {@link ProtocolError} for a length that is negative or over the limit. Errors of
   * `receive` pass through.
   */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length)
      at = this.#partial === undefined ? this.#begin(chunk, at) : this.#fill(this.#partial, chunk, at);
  }

  /** At the length of a frame, or within it. */
  #begin(chunk: Buffer, at: number): number {
    let start = at;
    let length: number;
    if (this.#headerLength === 0 && chunk.length - at >= 4) {
      length = chunk.readInt32BE(at);
      start = at + 4;
    } else {
      const copied = chunk.copy(this.#header, this.#headerLength, at);
      this.#headerLength += copied;
      start = at + copied;
      if (this.#headerLength < 4) return start;
      length = this.#header.readInt32BE(0);
      this.#headerLength = 0;
    }
    if (length < 0 || length > this.#limit)
      throw new ProtocolError(`a frame of ${length} bytes; the longest that is accepted is ${this.#limit}`);
    const end = start + length;
    if (end <= chunk.length) {
      this.#receive(this.#reader.reset(chunk, start, end));
      return end;
    }
    this.#partial = Buffer.allocUnsafeSlow(length);
    this.#partialLength = 0;
    return start;
  }

  #fill(partial: Buffer, chunk: Buffer, at: number): number {
    const copied = chunk.copy(partial, this.#partialLength, at);
    this.#partialLength += copied;
    if (this.#partialLength === partial.length) {
      this.#partial = undefined;
      this.#receive(this.#reader.reset(partial));
    }
    return at + copied;
  }
}
