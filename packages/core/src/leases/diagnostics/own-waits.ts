/** A lease of the same `Locks`. `since`: when it was granted. */
interface OwnLease {
  readonly key: string;
  readonly working: boolean;
  readonly since: number;
}

/**
 * Warns once of a claim that waits for long for work of its own `Locks`. That work may wait for the
 * claim, and before Node 24 the context that would tell costs too much.
 */
export class OwnWaits {
  readonly #leases: () => readonly OwnLease[];
  /** In ms. */
  readonly #threshold: number;
  #warned = false;

  constructor(leases: () => readonly OwnLease[], threshold: number) {
    this.#leases = leases;
    this.#threshold = threshold;
  }

  /** A claim for `key` without a limit is busy at `now`. Returns whether it has waited for long. */
  look(key: string, startedAt: number, now: number): boolean {
    if (now - startedAt < this.#threshold) return false;
    // Work that began after the claim does not wait for it.
    const holds = (each: OwnLease): boolean => each.working && each.key === key && each.since <= startedAt;
    if (!this.#warned && this.#leases().some(holds)) {
      this.#warned = true;
      warn(key, now - startedAt);
    }
    return true;
  }
}

function warn(key: string, waited: number): void {
  const message = `A claim for ${JSON.stringify(key)} has waited ${Math.round(waited)} ms for work of its own Locks.`;
  const detail =
    'If that work waits for the claim, neither ever ends: see "A lock inside of itself" in the docs. ' +
    'createLocks({ findDeadlocks: true }) refuses such a claim, and false ends this warning, which comes once.';
  process.emitWarning(message, { code: 'LOCKS_OWN_WAIT', detail });
}
