import type { Lease } from '../../lease.ts';
import type { Locks } from '../../locks.ts';
import { noteKey, noteStore } from './keys.ts';
import type { End, Phase } from './phase.ts';

/**
 * What a process leaves in a store for `migrationStatus`, unless it acts under the end that it is
 * to. It decides nothing.
 */
export class PhaseNote {
  readonly #name: string;
  readonly #locks: Readonly<Record<End, Locks>>;
  #wanted: Phase | undefined = undefined;
  #lease: Lease | undefined = undefined;
  #written: Phase | undefined = undefined;
  #working: Promise<void> | undefined = undefined;

  constructor(name: string, locks: Readonly<Record<End, Locks>>) {
    this.#name = name;
    this.#locks = locks;
  }

  /**
   * The process takes locks in both stores, and is to be in `desired`. `undefined`: it acts under
   * an end. `again`: also where it was written, or could not be. Resolves when the store has it, or
   * gave no answer.
   */
  async write(desired: Phase | undefined, again = false): Promise<void> {
    if (this.#wanted !== desired || again) {
      this.#wanted = desired;
      if (this.#isDue) this.#working ??= this.#work();
    }
    await this.#working;
  }

  get #isDue(): boolean {
    return this.#wanted !== this.#written || this.#lease?.held === false;
  }

  async #work(): Promise<void> {
    while (this.#isDue) {
      const wanted = this.#wanted;
      await this.#lease?.release().catch(() => {});
      this.#lease = undefined;
      this.#written = wanted;
      if (wanted === undefined) continue;
      const key = noteKey(this.#name, wanted);
      // Without an answer the process goes on all the same.
      this.#lease = await this.#locks[noteStore(wanted)]
        .acquire(key, { mode: 'shared', wait: 0 })
        .catch(() => undefined);
      // The next change, or the next look, tries again.
      if (this.#lease === undefined && this.#wanted === wanted) break;
    }
    if (this.#lease === undefined) this.#written = undefined;
    this.#working = undefined;
  }
}
