import type { Lease, Locks } from '@locks/core';
import { settledWithin } from '@locks/core/adapter';
import type { MigrateRules } from './options.ts';
import { markLabel, presenceKey, readSign } from './keys.ts';
import type { End } from './phase.ts';

/** A store that takes longer for a presence has not answered, in ms. */
export const patience = 2_000;

/**
 * The lease by which a process says that it takes locks in one store alone, or is about to, and the
 * mark that it does. The mark is a second lease on the same key: who looks for presences sees it,
 * also where it is given back too late.
 */
export class Presence {
  readonly #rules: MigrateRules;
  readonly #locks: Readonly<Record<End, Locks>>;
  readonly #lost: (reason: unknown) => void;
  #lease: Lease | undefined = undefined;
  #mark: Promise<Lease | undefined> | undefined = undefined;

  /** Calls `lost` when the lease has ended against the will of the process. */
  constructor(rules: MigrateRules, locks: Readonly<Record<End, Locks>>, lost: (reason: unknown) => void) {
    this.#rules = rules;
    this.#locks = locks;
    this.#lost = lost;
  }

  /** The lease, until it is given back or lost. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  async announce(end: End): Promise<void> {
    const lease = await this.#locks[end].acquire(presenceKey, { mode: 'shared', wait: patience });
    this.#lease = lease;
    const ended = (): void => {
      if (this.#lease !== lease) return;
      void this.#forgetMark();
      this.#lease = undefined;
      this.#lost(lease.signal.reason);
    };
    if (lease.signal.aborted) ended();
    else lease.signal.addEventListener('abort', ended, { once: true });
  }

  /** Others who want the same end need not settle from now on. */
  mark(end: End): void {
    const ask = { mode: 'shared', wait: patience, label: markLabel } as const;
    this.#mark ??= this.#locks[end].acquire(presenceKey, ask).catch(() => undefined);
  }

  /** Gives mark and lease back, in this order: a mark stands for a process that acts. */
  async withdraw(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    await this.#within(this.#forgetMark());
    // A release without an answer is repeated. Until then this process sees its own presence.
    if (lease !== undefined) await this.#within(lease.release());
  }

  /** The processes that take locks in the store of `end` alone, or are about to. */
  async othersAt(end: End): Promise<readonly string[]> {
    const { holders } = await this.#rules.stores[end].inspect(presenceKey);
    return [...new Set(holders.map(({ owner }) => readSign(owner).process))];
  }

  /** Whether a process acts under `end`: it has looked twice, and who looks sees its mark. */
  async isTaken(end: End): Promise<boolean> {
    const { holders } = await this.#rules.stores[end].inspect(presenceKey);
    return holders.some(({ owner }) => readSign(owner).acts);
  }

  async #forgetMark(): Promise<void> {
    const mark = this.#mark;
    this.#mark = undefined;
    await (await mark)?.release().catch(() => {});
  }

  #within(work: Promise<unknown>): Promise<void> {
    return settledWithin(this.#rules.runtime, this.#rules.memberTimeout, work);
  }
}
