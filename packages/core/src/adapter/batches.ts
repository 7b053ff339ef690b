/**
 * The most calls in one batch. More occupy the server, a connection or rows for longer. Fewer mean
 * more messages for client and server.
 */
export const largestBatch = 32;

/** How the calls of one tick are sent. */
export interface BatchParts<Call, Answer> {
  /** Whether `call` can join `batch`, which is not empty. */
  readonly fits: (call: Call, batch: readonly Call[]) => boolean;
  /** Sends a single call. */
  readonly alone: (call: Call) => Promise<Answer>;
  /**
   * Sends at least two calls as one. Resolves to the answers in the order of the calls. A call that
   * was not applied may get the promise of another call as its answer.
   */
  readonly together: (batch: readonly Call[]) => Promise<readonly (Answer | Promise<Answer>)[]>;
  /** What a call rejects with when `together` rejects. @default the same error */
  readonly failed?: (error: unknown, call: Call) => unknown;
}

type Answers<Answer> = readonly (Answer | Promise<Answer>)[];

/** Calls that are sent together. Each has a promise and no closures of its own: see ADR 10. */
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

  /** Sends `call` at the end of the tick, alone or in a batch. */
  call(call: Call): Promise<Answer> {
    // From the last one, as earlier ones are usually full.
    for (let index = this.#open.length - 1; index >= 0; index -= 1) {
      const batch = this.#open[index] as Batch<Call, Answer>;
      if (batch.calls.length < largestBatch && this.#parts.fits(call, batch.calls)) return batch.add(call);
    }
    const batch = new Batch(this.#parts);
    // After all answers that arrived together were delivered.
    if (this.#open.push(batch) === 1) process.nextTick(() => this.#flush());
    return batch.add(call);
  }

  #flush(): void {
    const batches = this.#open;
    this.#open = [];
    for (const batch of batches) void batch.send();
  }
}
