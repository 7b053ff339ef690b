import type { Operation } from '../wire/call.ts';
import { LockError } from '@locks/core/adapter';
import { refusal } from '../nodes/refusal.ts';
import type { Session } from '../session/session.ts';
import { failedStep, multi } from '../wire/multi.ts';
import type { MultiOutcome } from '../wire/multi.ts';

/** ZooKeeper refused one of the caller's operations, so none of them took effect. */
export class GuardedOperationError extends Error {
  override readonly name = 'GuardedOperationError';
  /** The index of the operation. */
  readonly index: number;
  /** ZooKeeper's error: `NO_NODE`, `NODE_EXISTS`, `BAD_VERSION`, `NOT_EMPTY`, `NO_AUTH`, … */
  readonly error: string;

  constructor(index: number, error: string, path: string) {
    super(`ZooKeeper refused operation ${index}, on ${JSON.stringify(path)}: ${error}. None of them took effect.`);
    this.index = index;
    this.error = error;
  }
}

/** Sends `operations` as one transaction. Throws `LOCK_INVALID` if they are too long. */
export async function transact(session: Session, operations: readonly Operation[]): Promise<MultiOutcome> {
  const answer = await session.send(multi(operations)).catch((error: unknown) => {
    // It was not sent.
    if (error instanceof RangeError) throw new LockError('LOCK_INVALID', `A guarded write: ${error.message}.`);
    throw error;
  });
  if (!answer.ok) throw refusal(answer, operations[0]?.path ?? '');
  return answer.value;
}

/**
 * Throws unless the transaction took effect. Its first operation was the guard's, the others are
 * `own`.
 */
export function checkOutcome(outcome: MultiOutcome, own: readonly Operation[]): void {
  if (outcome.committed) return;
  const { index, error } = failedStep(outcome);
  if (index === 0) throw new LockError('LOCK_MISCONFIGURED', `ZooKeeper refused the check of a guard: ${error}.`);
  throw new GuardedOperationError(index - 1, error, own[index - 1]?.path ?? '');
}
