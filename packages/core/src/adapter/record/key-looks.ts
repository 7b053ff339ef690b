import { outsideContext } from '../../time/outside-context.ts';
import type { ReadState } from './store-calls.ts';

/** What a key's looks need from its calls. */
export interface LookParts {
  read(): Promise<ReadState>;
  /** Receives a state that no call has shown. */
  found(state: ReadState): void;
  /** Whether no call is in progress. */
  idle(): boolean;
}

/**
 * Reads a key for the waiting claims, beside the calls, so that no release waits for a look. A
 * write of this process shows the same as a look, or more.
 */
export class KeyLooks {
  readonly #parts: LookParts;
  #looking = false;
  #again = false;
  /** The numbers of the last write that began, and of the last one that succeeded. */
  #begun = 0;
  #written = 0;
  /** A look has shown nothing. A write with a higher number does. */
  #due: number | undefined = undefined;

  constructor(parts: LookParts) {
    this.#parts = parts;
  }

  look(): void {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = true;
    void outsideContext(() => this.#look());
  }

  /** A write begins. Returns its number. */
  begun(): number {
    return ++this.#begun;
  }

  /** The write with this number succeeded. */
  written(number: number): void {
    this.#written = number;
  }

  /** The last call has ended. */
  idle(): void {
    const due = this.#due !== undefined && this.#written <= this.#due;
    this.#due = undefined;
    if (due) this.look();
  }

  async #look(): Promise<void> {
    const [begun, written] = [this.#begun, this.#written];
    try {
      const state = await this.#parts.read();
      // A write that began later was of the state that was read, or of a later one.
      if (this.#written <= begun) {
        if (this.#written === written) this.#parts.found(state);
        // What was read may be older than the write in progress.
        else this.#due = begun;
      }
    } catch {
      // The claims also ask at their own interval, and get the error.
    }
    this.#looking = false;
    if (this.#again) {
      this.#again = false;
      this.look();
    } else if (this.#parts.idle()) this.idle();
  }
}
