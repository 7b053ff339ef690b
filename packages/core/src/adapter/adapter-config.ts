import type { LockProvider } from '../contract.ts';
import type { Runtime } from '../time/runtime.ts';
import type { Diagnosis } from './diagnosis.ts';

/** What `openLocks` hands to an adapter. */
export interface AdapterConfig {
  /**
   * As the user gave it, password included: never put it into a message. Core's own query options
   * are taken out.
   */
  readonly url: string | undefined;
  /**
   * The adapter's own options: those of `options` in the configuration, then the query of the URL
   * as strings.
   */
  readonly options: Readonly<Record<string, unknown>>;
  /** The clock, timers and randomness of the `Locks` that will use the provider. */
  readonly runtime: Runtime;
}

/** What a module must export to be named in the configuration. */
export interface AdapterModule {
  /**
   * Optional: the URL schemes that it serves, in small letters and without the colon: `['consul',
   * 'consul+tls']`. `openLocks('consul://…')` then finds it, where it was registered or its package
   * has the name `locks-consul`. Schemes of this library's own adapters stay theirs.
   */
  readonly schemes?: readonly string[];
  /**
   * Makes the provider; `openLocks` closes it.
   * @throws `LOCK_MISCONFIGURED` naming the wrong option, `LOCK_UNAVAILABLE` when the backend does
   * not answer.
   */
  fromConfig(config: AdapterConfig): LockProvider | Promise<LockProvider>;
  /**
   * Optional: looks at the servers, and says what their settings mean for locks. It serves `locks
   * doctor`. It changes nothing, and closes what it opens.
   * @throws as `fromConfig`, where there is nothing to look at.
   */
  diagnose?(config: AdapterConfig): Promise<Diagnosis>;
}
