import type { LockError, Runtime, TimerHandle } from '@locks/core/adapter';
import type { Session } from './session.ts';

interface Waiter {
  readonly timer: TimerHandle;
  resolve(session: Session): void;
  reject(error: LockError): void;
}

/** The calls that wait for a session. Their timers keep the process alive. */
export class SessionWaiters {
  readonly #runtime: Runtime;
  readonly #waiters = new Set<Waiter>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  get empty(): boolean {
    return this.#waiters.size === 0;
  }

  /** Resolves to the next session, or rejects with the result of `overdue` after `within` ms. */
  add(within: number, overdue: () => LockError): Promise<Session> {
    return new Promise((resolve, reject) => {
      const timer = this.#runtime.setTimer(
        () => {
          this.#waiters.delete(waiter);
          reject(overdue());
        },
        within,
        true,
      );
      const waiter: Waiter = { timer, resolve, reject };
      this.#waiters.add(waiter);
    });
  }

  resolveAll(session: Session): void {
    for (const waiter of this.#takeAll()) waiter.resolve(session);
  }

  rejectAll(error: LockError): void {
    for (const waiter of this.#takeAll()) waiter.reject(error);
  }

  #takeAll(): readonly Waiter[] {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const { timer } of waiters) this.#runtime.clearTimer(timer);
    return waiters;
  }
}
