import type { Lease, Locks } from '@locks/core';
import { outsideContext } from '@locks/core/adapter';
import type { Clock } from '@locks/core/adapter';
import { noteKey, noteStore } from './keys.ts';
import type { End, Phase } from './phase.ts';

/** A note that the store did not take is not written again for so many ms. */
const pause = 1_000;

/**
 * What a process leaves in a store for `migrationStatus`, unless it acts under the end that it is
 * to. It decides nothing. A note that is lost is written again.
 */
export class PhaseNote {
  readonly #name: string;
  readonly #locks: Readonly<Record<End, Locks>>;
  readonly #clock: Clock;
  #wanted: Phase | undefined = undefined;
  #lease: Lease | undefined = undefined;
  #written: Phase | undefined = undefined;
  #working: Promise<void> | undefined = undefined;
  #failedAt = -Infinity;
  #stopped = false;

  constructor(name: string, locks: Readonly<Record<End, Locks>>, clock: Clock) {
    this.#name = name;
    this.#locks = locks;
    this.#clock = clock;
  }

  /**
   * The process takes locks in both stores, and is to be in `desired`. `undefined`: it acts under
   * an end. Resolves when the store has it, or gave no answer.
   */
  async write(desired: Phase | undefined): Promise<void> {
    const isNew = this.#wanted !== desired;
    this.#wanted = desired;
    if (isNew || this.#clock.now() >= this.#failedAt + pause) this.#begin();
    await this.#working;
  }

  /** Nothing is written any more. */
  stop(): void {
    this.#stopped = true;
  }

  #begin(): void {
    if (!this.#stopped && this.#wanted !== this.#written) this.#working ??= outsideContext(() => this.#work());
  }

  async #work(): Promise<void> {
    while (this.#wanted !== this.#written) {
      const wanted = this.#wanted;
      const before = this.#lease;
      this.#lease = undefined;
      await before?.release().catch(() => {});
      this.#written = wanted;
      if (wanted === undefined) continue;
      // Without an answer the process goes on all the same.
      const lease = await this.#locks[noteStore(wanted)]
        .acquire(noteKey(this.#name, wanted), { mode: 'shared', wait: 0 })
        .catch(() => undefined);
      this.#lease = lease;
      lease?.signal.addEventListener('abort', () => this.#lost(lease), { once: true });
      if (lease === undefined && this.#wanted === wanted) break;
    }
    this.#working = undefined;
    if (this.#written === undefined || this.#lease?.held === true) return;
    this.#written = undefined;
    this.#failedAt = this.#clock.now();
  }

  /** The store has lost it, or was silent. */
  #lost(lease: Lease): void {
    if (this.#lease !== lease) return;
    this.#lease = undefined;
    this.#written = undefined;
    this.#begin();
  }
}
