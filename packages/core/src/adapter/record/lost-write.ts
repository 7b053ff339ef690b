import type { Step } from './key-step.ts';
import type { PendingCall } from './pending-call.ts';
import type { StoredKey } from './record-text.ts';

/** A write that the store said was not made. */
export interface LostWrite {
  readonly calls: readonly PendingCall[];
  readonly step: Step;
}

/**
 * Settles the calls of a write that was made after all, as the record tells, and returns the others
 * of `calls`: a client that repeats a write hears only of the second one.
 */
export function settleMade(
  calls: readonly PendingCall[],
  lost: LostWrite,
  { writes = [] }: StoredKey,
): readonly PendingCall[] {
  const { change, answers, moment } = lost.step;
  if (change === undefined || !writes.includes(change.version)) return calls;
  for (const [index, call] of lost.calls.entries()) call.answered(answers[index], moment.slack);
  return calls.filter((call) => !lost.calls.includes(call));
}
