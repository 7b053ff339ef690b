import type { LockProvider } from '@locks/core';

/**
 * What a requirement may need beyond `create`. If a need is not met, the requirement is reported as
 * unverified.
 */
export type Need = 'processes' | 'createOther' | keyof Faults;

/** Whether the check of a requirement with these needs causes a fault. */
export function needsFault({ needs = [] }: { readonly needs?: readonly Need[] }): boolean {
  return needs.some((need) => need !== 'processes' && need !== 'createOther');
}

/**
 * How to cause faults of the backend. Every hook is optional. A requirement that needs a missing
 * hook is reported as unverified, never as passed. The harness undoes its effects before it
 * continues, even after a failure.
 */
export interface Faults {
  /** Cuts all connections of `provider` now; new ones succeed. Resolves when they are cut. */
  readonly sever?: ((provider: LockProvider) => Promise<void>) | undefined;
  /**
   * Cuts `provider` off silently: its connections stay open and new ones are accepted, but nothing
   * arrives in this direction. Resolves to a function that ends it; swallowed data stays lost, so
   * those connections are cut then.
   */
  readonly silence?: ((provider: LockProvider, direction: Direction) => Promise<() => Promise<void>>) | undefined;
  /**
   * Freezes the backend: connections stay open, nothing is answered. Resolves to a function that
   * thaws it.
   */
  readonly pause?: (() => Promise<() => Promise<void>>) | undefined;
  /** Restarts the backend with its data on disk. Resolves when it accepts connections. */
  readonly restart?: (() => Promise<void>) | undefined;
  /** Restarts the backend without data. Resolves when it accepts connections. */
  readonly restartEmpty?: (() => Promise<void>) | undefined;
  /**
   * The next command of `provider` takes effect, but its reply is lost with its connection.
   * Resolves when that is prepared.
   */
  readonly dropReply?: ((provider: LockProvider) => Promise<void>) | undefined;
  /** Delays every reply to `provider` by `delay` ms. Resolves to a function that ends the delay. */
  readonly delay?: ((provider: LockProvider, delay: number) => Promise<() => Promise<void>>) | undefined;
  /**
   * From now on every request of `provider` reaches the backend twice; one of the two answers is
   * returned. Resolves to a function that ends it.
   */
  readonly duplicate?: ((provider: LockProvider) => Promise<() => Promise<void>>) | undefined;
}

/** The affected direction. */
export type Direction = 'requests' | 'replies' | 'both';
