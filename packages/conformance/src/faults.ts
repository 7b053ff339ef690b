import type { LockProvider } from '@locks/core';

/** What a requirement may need beyond `create`. Where a need is not met, the requirement is reported as unverified. */
export type Need = 'processes' | keyof Faults;

/**
 * How to hurt the backend. Every hook is optional. A requirement that needs a hook you do not give is reported as
 * unverified, never as passed. The harness undoes what it did before it goes on, also after a failure.
 */
export interface Faults {
  /** Cuts all connections of `provider` now; new ones succeed. Resolves when they are cut. */
  readonly sever?: ((provider: LockProvider) => Promise<void>) | undefined;
  /** Freezes the backend: connections stay open, nothing is answered. Resolves to what thaws it. */
  readonly pause?: (() => Promise<() => Promise<void>>) | undefined;
  /** Stops the backend and starts it again with what it keeps on disk. Resolves when it accepts connections. */
  readonly restart?: (() => Promise<void>) | undefined;
  /** The next command of `provider` takes effect, but its reply is lost with its connection. */
  readonly dropReply?: ((provider: LockProvider) => Promise<void>) | undefined;
  /** Delays every reply to `provider` by so many ms. Resolves to what ends the delay. */
  readonly delay?: ((provider: LockProvider, delay: number) => Promise<() => Promise<void>>) | undefined;
}
