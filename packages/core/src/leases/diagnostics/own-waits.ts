/** A lease of the same client. `since`: when it was granted. */
interface OwnLease {
  readonly key: string;
  readonly working: boolean;
  readonly since: number;
}

/** A claim for `key` without a limit is busy at `now`. Returns whether it has waited for long. */
export type OwnWaits = (key: string, startedAt: number, now: number) => boolean;

/**
 * Warns once of a claim that waits at least `threshold` ms for work of its own client. That work
 * may wait for the claim; before Node 24, detecting that by the context costs too much.
 */
export function createOwnWaits(leases: () => readonly OwnLease[], threshold: number): OwnWaits {
  let warned = false;
  return (key, startedAt, now) => {
    if (now - startedAt < threshold) return false;
    // Work that began after the claim does not wait for it.
    const holds = (each: OwnLease): boolean => each.working && each.key === key && each.since <= startedAt;
    if (!warned && leases().some(holds)) {
      warned = true;
      warn(key, now - startedAt);
    }
    return true;
  };
}

function warn(key: string, waited: number): void {
  const message = `A claim for ${JSON.stringify(key)} has waited ${Math.round(waited)} ms for work of the same client.`;
  const detail =
    'If that work waits for the claim, neither can finish: see "A lock inside of itself" in the docs. ' +
    'createLocks({ findDeadlocks: true }) rejects such a claim; false turns off this warning, which is emitted once.';
  process.emitWarning(message, { code: 'LOCKS_OWN_WAIT', detail });
}
