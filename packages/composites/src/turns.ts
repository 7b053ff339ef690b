/** The calls of one claim: one of an owner follows the other. */
export class Turns {
  #turn: Promise<unknown> | undefined = undefined;

  /** No call is under way. */
  get free(): boolean {
    return this.#turn === undefined;
  }

  /** Runs `work` once the calls before it are over, and `after` when it is over, too. */
  async take<T>(work: () => Promise<T>, after: () => void): Promise<T> {
    while (this.#turn !== undefined) await this.#turn.catch(() => {});
    const turn = work();
    this.#turn = turn;
    try {
      return await turn;
    } finally {
      this.#turn = undefined;
      after();
    }
  }
}
