import type { LockProvider } from '@locks/core';

/**
 * What a requirement may need beyond `create`. Where a need is not met, the requirement is reported
 * as unverified.
 */
export type Need = 'processes' | 'createOther' | keyof Faults;

/** Whether the check of a requirement with these needs hurts the backend, or the way to it. */
export function needsFault({ needs = [] }: { readonly needs?: readonly Need[] }): boolean {
  return needs.some((need) => need !== 'processes' && need !== 'createOther');
}

/**
 * How to hurt the backend. Every hook is optional. A requirement that needs a hook you do not give
 * is reported as unverified, never as passed. The harness undoes what it did before it goes on,
 * also after a failure.
 */
export interface Faults {
  /** Cuts all connections of `provider` now; new ones succeed. Resolves when they are cut. */
  readonly sever?: ((provider: LockProvider) => Promise<void>) | undefined;
  /**
   * Cuts `provider` off without a sign: its connections stay open and new ones are accepted, but in
   * this direction nothing arrives any more. Resolves to what ends it; what was swallowed stays
   * lost, so the connections of that time are cut then.
   */
  readonly silence?: ((provider: LockProvider, direction: Direction) => Promise<() => Promise<void>>) | undefined;
  /** Freezes the backend: connections stay open, nothing is answered. Resolves to what thaws it. */
  readonly pause?: (() => Promise<() => Promise<void>>) | undefined;
  /**
   * Stops the backend and starts it again with what it keeps on disk. Resolves when it accepts
   * connections.
   */
  readonly restart?: (() => Promise<void>) | undefined;
  /**
   * Stops the backend and starts it again with nothing of what it knew. Resolves when it accepts
   * connections.
   */
  readonly restartEmpty?: (() => Promise<void>) | undefined;
  /**
   * The next command of `provider` takes effect, but its reply is lost with its connection.
   * Resolves when that is prepared.
   */
  readonly dropReply?: ((provider: LockProvider) => Promise<void>) | undefined;
  /** Delays every reply to `provider` by so many ms. Resolves to what ends the delay. */
  readonly delay?: ((provider: LockProvider, delay: number) => Promise<() => Promise<void>>) | undefined;
  /**
   * From now on every request of `provider` reaches the backend twice; one of the two answers comes
   * back. Resolves to what ends it.
   */
  readonly duplicate?: ((provider: LockProvider) => Promise<() => Promise<void>>) | undefined;
}

/** The way that is affected. */
export type Direction = 'requests' | 'replies' | 'both';
