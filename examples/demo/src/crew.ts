import type { Account } from './account.ts';
import type { RunEvent } from './events.ts';

/** One run of the demo. */
export interface Plan {
  readonly locked: boolean;
  readonly workers: number;
  /** Of each worker. */
  readonly updates: number;
  readonly victim?: Victim;
}

/** The worker that is killed while it holds the lock, after so many updates. */
export interface Victim {
  readonly worker: number;
  readonly after: number;
}

/** Workers, wherever they run, and the balance they share. */
export interface Crew {
  /** What each worker is: `a task of one process`. */
  readonly workerKind: string;
  /** Where the lock is: `Redis`. */
  readonly lockPlace: string;
  /** What ends the lock of a worker that has died: `ttl 2.00 s`. */
  readonly lockEnd: string;
  /** Whether a worker can be killed without taking all with it. */
  readonly mortal: boolean;
  /** Resolves to the account when everybody is done: a new one for each run. */
  run(plan: Plan, observe: (event: RunEvent) => void): Promise<Account>;
  close(): Promise<void>;
}

/** How long the store keeps a dead worker's lock, in ms; short, so that the demo need not wait long. */
export const ttl = 2_000;
