import type { LockProvider } from '@locks/core';
import type { Faults } from './faults/faults.ts';
import type { ProcessesOption } from './processes/other-process.ts';
import type { Requirement } from './requirement.ts';

/** The provider to test, and the means to do it. */
export interface ConformanceOptions {
  /** Its name in reports. */
  readonly name: string;
  /**
   * Creates a provider. Called often: each provider represents another process, and all must share
   * one store. The suite closes them.
   */
  readonly create: () => LockProvider | Promise<LockProvider>;
  /**
   * Creates a provider on the same store like another service, with the shortest settings: its
   * positions in the queue last at most 1 s without a refresh. Without it, requirements for
   * services with different settings are unverified.
   * @default none
   */
  readonly createOther?: (() => LockProvider | Promise<LockProvider>) | undefined;
  /**
   * The ttl for tests of expiry, in ms, at least 50; all waits scale with it. Raise it for a slow
   * or distant store.
   * @default 400
   */
  readonly ttl?: number | undefined;
  /**
   * How to cause faults of the backend; requirements without their hook are reported as unverified.
   * @default none
   */
  readonly faults?: Faults | undefined;
  /**
   * Counts what must not grow, such as keys, rows, connections and subscriptions. After each
   * requirement that passed, every count must return to its value before it, or the requirement
   * fails.
   * @default none
   */
  readonly leaks?: (() => LeakCounts | Promise<LeakCounts>) | undefined;
  /**
   * Disturbs the store while a requirement is checked, in a way that the provider must withstand,
   * as a quorum does the loss of a member. It begins before each requirement, which does not know
   * of it, and its result ends it afterwards, even if the requirement failed. `leaks` counts in
   * between. `round` counts the requirements from 0, to disturb something else each time.
   * @default none
   */
  readonly disturb?: Disturb | undefined;
  /**
   * How another process creates a provider on the same store. Without it, requirements across
   * processes are unverified.
   * @default none
   */
  readonly processes?: ProcessesOption | undefined;
  /**
   * Checks only these requirements: their ids, or a function that selects them, such as
   * `({ about }) => about === 'wake'`.
   * @default all
   */
  readonly only?: Only | undefined;
  /**
   * Unverified requirements count as failed: for an adapter with all that the checks need.
   * @default false
   */
  readonly strict?: boolean | undefined;
  /** Repeats the random choices of an earlier report. @default chosen anew, and reported */
  readonly seed?: number | undefined;
  /**
   * The limit of one requirement, in ms: a provider that hangs fails. @default 30_000, or 60 ttl if
   * that is more
   */
  readonly limit?: number | undefined;
}

/** Begins a disturbance; resolves to a function that ends it. */
export type Disturb = (round: number) => Promise<() => Promise<void>>;

/** Ids of requirements, or whether a requirement is selected. */
export type Only = readonly string[] | ((requirement: Requirement) => boolean);

/** Counts by name. */
export type LeakCounts = Readonly<Record<string, number>>;

/** Options with their defaults. */
export interface ConformanceSettings extends Pick<ConformanceOptions, 'name' | 'create'> {
  readonly createOther: ConformanceOptions['createOther'];
  readonly ttl: number;
  readonly seed: number;
  readonly limit: number;
  readonly patience: number;
  readonly faults: Faults;
  readonly leaks: ConformanceOptions['leaks'];
  readonly disturb: Disturb | undefined;
  readonly processes: ProcessesOption | undefined;
  readonly only: Only | undefined;
  readonly strict: boolean;
}
