import { LockError } from '../../errors/lock-error.ts';
import { LeaseView } from '../../leases/hold/lease-view.ts';

/** The lease of a leader, whose signal also aborts when it is asked to resign. */
export class Term extends LeaseView {
  readonly #resigned = new AbortController();
  #signal: AbortSignal | undefined = undefined;

  /** Asks the leader to end. */
  resign(): void {
    const message = `The leader of ${JSON.stringify(this.key)} was asked to resign.`;
    this.#resigned.abort(new LockError('LOCK_CLOSED', message, { key: this.key }));
  }

  override get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([super.signal, this.#resigned.signal]);
    return this.#signal;
  }

  /** Whether `error` says no more than that it has ended. Node's own calls give it as a cause. */
  isEnd(error: unknown): boolean {
    const { signal } = this;
    return signal.aborted && (error === signal.reason || (error instanceof Error && error.cause === signal.reason));
  }
}

/** The candidate does not stand any more. */
export function endedError(key: string): LockError {
  return new LockError('LOCK_CLOSED', `The candidate for ${JSON.stringify(key)} stands no more.`, { key });
}
