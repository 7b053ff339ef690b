/**
 * So many calls travel as one at most. With more, one keeps the server, a connection or rows from
 * others for longer. With fewer, client and server have more of them to handle.
 */
const largest = 32;

/** How the calls of one tick travel. */
export interface BatchParts<Call> {
  /** Whether `call` can travel with those of `batch`, which has one at least. */
  readonly fits: (call: Call, batch: readonly Call[]) => boolean;
  /** Sends a call without company. */
  readonly sendAlone: (call: Call) => void;
  /** Sends at least two calls as one. */
  readonly send: (batch: readonly Call[]) => void;
}

/** Sends the calls of one tick together, in batches of at most 32. */
export class Batches<Call> {
  readonly #parts: BatchParts<Call>;
  #open: Call[][] = [];

  constructor(parts: BatchParts<Call>) {
    this.#parts = parts;
  }

  /** `call` is sent at the end of the tick, alone or with others. */
  add(call: Call): void {
    const { fits } = this.#parts;
    // From the last one, as those before it are full in most cases.
    for (let index = this.#open.length - 1; index >= 0; index -= 1) {
      const batch = this.#open[index] as Call[];
      if (batch.length < largest && fits(call, batch)) {
        batch.push(call);
        return;
      }
    }
    // After the answers that arrived together were all handed out.
    if (this.#open.push([call]) === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const batches = this.#open;
    this.#open = [];
    for (const batch of batches) {
      const [first] = batch;
      if (first !== undefined && batch.length === 1) this.#parts.sendAlone(first);
      else this.#parts.send(batch);
    }
  }
}
