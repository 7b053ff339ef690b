import { ProtocolError } from './protocol-error.ts';

const none = Buffer.alloc(0);

/**
 * Reads ZooKeeper's serialization ("jute"). Throws `ProtocolError` for a value that exceeds the
 * frame.
 */
export class Reader {
  #buffer: Buffer = none;
  #view: DataView = new DataView(none.buffer);
  #at = 0;
  #end = 0;

  /** From now on reads `buffer` from `start` to `end`. Results are copies. */
  reset(buffer: Buffer, start: number = 0, end: number = buffer.length): this {
    if (this.#buffer !== buffer) {
      this.#buffer = buffer;
      this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    }
    this.#at = start;
    this.#end = end;
    return this;
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#end - this.#at;
  }

  int(): number {
    return this.#view.getInt32(this.#pass(4));
  }

  long(): bigint {
    return this.#view.getBigInt64(this.#pass(8));
  }

  bool(): boolean {
    return this.#view.getInt8(this.#pass(1)) !== 0;
  }

  string(): string {
    const length = this.#length('string', 1);
    const at = this.#pass(length);
    return this.#buffer.toString('utf8', at, at + length);
  }

  /** Empty also for Java's null. */
  bytes(): Buffer {
    const length = this.#length('buffer', 1);
    const at = this.#pass(length);
    return Buffer.from(this.#buffer.subarray(at, at + length));
  }

  /**
   * @param smallest The least number of bytes of one value. It reveals an absurd count before
   * memory is allocated.
   */
  vector<T>(smallest: number, read: () => T): T[] {
    const count = this.#length('list', smallest);
    const values: T[] = [];
    for (let index = 0; index < count; index += 1) values.push(read());
    return values;
  }

  /** Call it when everything was read. */
  end(): void {
    if (this.left > 0) throw new ProtocolError(`${this.left} bytes too many in a frame`);
  }

  #length(what: string, each: number): number {
    const length = this.int();
    if (length === -1) return 0;
    if (length < 0 || length * each > this.left)
      throw new ProtocolError(`a ${what} of length ${length} in a frame with ${this.left} bytes left`);
    return length;
  }

  #pass(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#end) throw new ProtocolError(`a frame ends ${at + bytes - this.#end} bytes too early`);
    this.#at = at + bytes;
    return at;
  }
}
