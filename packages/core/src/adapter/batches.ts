/**
 * So many calls travel as one at most. With more, one keeps the server, a connection or rows from
 * others for longer. With fewer, client and server have more of them to handle.
 */
export const largestBatch = 32;

/** How the calls of one tick travel. */
export interface BatchParts<Call, Answer> {
  /** Whether `call` can travel with those of `batch`, which has one at least. */
  readonly fits: (call: Call, batch: readonly Call[]) => boolean;
  /** Sends a call without company. */
  readonly alone: (call: Call) => Promise<Answer>;
  /**
   * Sends at least two calls as one. Resolves to the answers in the order of the calls. The answer
   * to a call that it left as it was is the promise of another call.
   */
  readonly together: (batch: readonly Call[]) => Promise<readonly (Answer | Promise<Answer>)[]>;
  /** What one call rejects with where `together` rejects. @default the same error */
  readonly failed?: (error: unknown, call: Call) => unknown;
}

type Answers<Answer> = readonly (Answer | Promise<Answer>)[];

/** Calls that travel together. Each has a promise, and no closures of its own: see ADR 10. */
class Batch<Call, Answer> {
  readonly calls: Call[] = [];
  readonly #parts: BatchParts<Call, Answer>;
  readonly #answers: Promise<Answers<Answer>>;
  #resolve: (answers: Answers<Answer>) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  /** The promises of the calls settle in their order. */
  #settled = 0;

  constructor(parts: BatchParts<Call, Answer>) {
    this.#parts = parts;
    this.#answers = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  add(call: Call): Promise<Answer> {
    this.calls.push(call);
    return this.#answers.then(this.#next, this.#failNext);
  }

  async send(): Promise<void> {
    const { calls } = this;
    const { alone, together } = this.#parts;
    try {
      this.#resolve(calls.length === 1 ? [await alone(calls[0] as Call)] : await together(calls));
    } catch (error) {
      this.#reject(error);
    }
  }

  readonly #next = (answers: Answers<Answer>): Answer | Promise<Answer> => answers[this.#settled++] as Answer;

  readonly #failNext = (error: unknown): never => {
    const { failed } = this.#parts;
    const call = this.calls[this.#settled++] as Call;
    throw failed === undefined || this.calls.length === 1 ? error : failed(error, call);
  };
}

/** Sends the calls of one tick together, in batches of at most 32. */
export class Batches<Call, Answer> {
  readonly #parts: BatchParts<Call, Answer>;
  #open: Batch<Call, Answer>[] = [];

  constructor(parts: BatchParts<Call, Answer>) {
    this.#parts = parts;
  }

  /** `call` is sent at the end of the tick, alone or with others. */
  call(call: Call): Promise<Answer> {
    // From the last one, as those before it are full in most cases.
    for (let index = this.#open.length - 1; index >= 0; index -= 1) {
      const batch = this.#open[index] as Batch<Call, Answer>;
      if (batch.calls.length < largestBatch && this.#parts.fits(call, batch.calls)) return batch.add(call);
    }
    const batch = new Batch(this.#parts);
    // After the answers that arrived together were all handed out.
    if (this.#open.push(batch) === 1) process.nextTick(() => this.#flush());
    return batch.add(call);
  }

  #flush(): void {
    const batches = this.#open;
    this.#open = [];
    for (const batch of batches) void batch.send();
  }
}
