/** The requests of clients to a Postgres. */
export interface Tally {
  connections: number;
  /** Executed: simple queries, and executions of prepared ones. */
  statements: number;
  /** Requests whose answer a client awaits: a query, a Sync, or a message of the login. */
  roundTrips: number;
}

const codes = { cancel: 80_877_102, ssl: 80_877_103, gssEncryption: 80_877_104 } as const;

/**
 * Reads what one client sends, as it arrives, and adds it to `tally`. Not for encrypted
 * connections.
 */
export class FrontendReader {
  readonly #tally: Tally;
  #rest: Buffer = Buffer.alloc(0);
  /** The first messages have no type. */
  #started = false;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  read(chunk: Buffer): void {
    let buffer = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const typed = this.#started ? 1 : 0;
      if (buffer.length < typed + 4) break;
      const length = typed + buffer.readInt32BE(typed);
      if (buffer.length < length) break;
      if (this.#started) this.#count(String.fromCodePoint(buffer.readUInt8(0)));
      else this.#start(buffer);
      buffer = buffer.subarray(length);
    }
    this.#rest = buffer;
  }

  #start(message: Buffer): void {
    const code = message.readInt32BE(4);
    if (code === codes.cancel) return;
    this.#tally.roundTrips += 1;
    if (code === codes.ssl || code === codes.gssEncryption) return;
    this.#tally.connections += 1;
    this.#started = true;
  }

  #count(type: string): void {
    if (type === 'Q' || type === 'E') this.#tally.statements += 1;
    // Query, Sync, Flush; p: an answer of the login.
    if (type === 'Q' || type === 'S' || type === 'H' || type === 'p') this.#tally.roundTrips += 1;
  }
}
