import { LockError } from '@locks/core/adapter';
import type { Runtime, TimerHandle } from '@locks/core/adapter';
import type { Generation } from './generation.ts';

interface Waiter {
  readonly timer: TimerHandle;
  resolve(generation: Generation): void;
  reject(error: LockError): void;
}

/** Those who wait for a session. Their timers keep the process alive. */
export class WaitingRoom {
  readonly #runtime: Runtime;
  readonly #waiters = new Set<Waiter>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  get empty(): boolean {
    return this.#waiters.size === 0;
  }

  /** @param cause What `LOCK_UNAVAILABLE` after `within` ms has as its cause. */
  enter(within: number, cause: () => unknown): Promise<Generation> {
    return new Promise((resolve, reject) => {
      const timer = this.#runtime.setTimer(
        () => {
          this.#waiters.delete(waiter);
          const why = cause();
          const message = `There is no connection to ZooKeeper after ${Math.round(within)} ms; see the cause.`;
          const options = why === undefined ? {} : { cause: why };
          reject(new LockError('LOCK_UNAVAILABLE', message, { ...options, sent: false }));
        },
        within,
        true,
      );
      const waiter: Waiter = { timer, resolve, reject };
      this.#waiters.add(waiter);
    });
  }

  admit(generation: Generation): void {
    for (const waiter of this.#leave()) waiter.resolve(generation);
  }

  refuse(error: LockError): void {
    for (const waiter of this.#leave()) waiter.reject(error);
  }

  #leave(): readonly Waiter[] {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const { timer } of waiters) this.#runtime.clearTimer(timer);
    return waiters;
  }
}
