/** Enough for some hundred requests. */
const chunk = 32_768;

/**
 * Writes ZooKeeper's serialization ("jute") into one growing buffer. Bytes that were taken are
 * never overwritten, so they may be passed to a socket.
 */
export class Writer {
  #view: DataView;
  #buffer: Buffer;
  #start = 0;
  #end = 0;

  constructor() {
    this.#buffer = Buffer.allocUnsafeSlow(chunk);
    this.#view = viewOf(this.#buffer);
  }

  /** How many bytes were written since the last `take`. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** What was written since the last call. */
  take(): Buffer {
    const taken = this.#buffer.subarray(this.#start, this.#end);
    this.#start = this.#end;
    return taken;
  }

  /** Drops what was written after `length` had this value. */
  truncate(length: number): void {
    this.#end = this.#start + length;
  }

  /** Begins a frame of unknown length; pass the result to `endFrame`. */
  beginFrame(): number {
    const frame = this.length;
    this.#reserve(4);
    this.#end += 4;
    return frame;
  }

  endFrame(frame: number): void {
    this.#view.setInt32(this.#start + frame, this.length - frame - 4);
  }

  int(value: number): void {
    if ((value | 0) !== value) throw new RangeError(`${value} is not an int32`);
    this.#reserve(4);
    this.#view.setInt32(this.#end, value);
    this.#end += 4;
  }

  long(value: bigint): void {
    this.#reserve(8);
    this.#view.setBigInt64(this.#end, value);
    this.#end += 8;
  }

  bool(value: boolean): void {
    this.#reserve(1);
    this.#view.setInt8(this.#end, value ? 1 : 0);
    this.#end += 1;
  }

  string(value: string): void {
    // No UTF-16 unit needs more than three bytes.
    this.#reserve(4 + value.length * 3);
    const length = this.#buffer.write(value, this.#end + 4);
    this.#view.setInt32(this.#end, length);
    this.#end += 4 + length;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(4 + value.length);
    this.#view.setInt32(this.#end, value.length);
    this.#buffer.set(value, this.#end + 4);
    this.#end += 4 + value.length;
  }

  vector<T>(values: readonly T[], write: (value: T) => void): void {
    this.int(values.length);
    for (const value of values) write(value);
  }

  #reserve(more: number): void {
    if (this.#end + more <= this.#buffer.length) return;
    const used = this.length;
    const larger = Buffer.allocUnsafeSlow(Math.max(chunk, (used + more) * 2));
    larger.set(this.#buffer.subarray(this.#start, this.#end));
    this.#buffer = larger;
    this.#view = viewOf(larger);
    this.#start = 0;
    this.#end = used;
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
