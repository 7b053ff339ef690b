import { LockError } from '../../errors/lock-error.ts';
import { PublicLease } from '../../leases/hold/public-lease.ts';

/** The lease of a leader, whose signal also aborts when it is asked to resign. */
export class Term extends PublicLease {
  readonly #resigned: AbortSignal;
  #signal: AbortSignal | undefined = undefined;

  constructor(lease: PublicLease, resigned: AbortSignal) {
    super(lease);
    this.#resigned = resigned;
  }

  override get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([super.signal, this.#resigned]);
    return this.#signal;
  }
}

/** Whether `error` says no more than that a term has ended. Node's own calls give it as a cause. */
export function isEndOf({ signal }: Term, error: unknown): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.cause === signal.reason));
}

/** The candidate does not stand any more. */
export function endedError(key: string): LockError {
  return new LockError('LOCK_CLOSED', `The candidate for ${JSON.stringify(key)} stands no more.`, { key });
}
