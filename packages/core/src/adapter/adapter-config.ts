import type { LockProvider } from '../contract.ts';
import type { Runtime } from '../time/runtime.ts';
import type { Diagnosis } from './diagnosis.ts';

/** What `openLocks` passes to an adapter. */
export interface AdapterConfig {
  /**
   * As the user gave it, password included: never put it into a message. Core's query options are
   * removed.
   */
  readonly url: string | undefined;
  /**
   * The adapter's options: `options` of the configuration, then the query of the URL as strings.
   */
  readonly options: Readonly<Record<string, unknown>>;
  /** The clock, timers and randomness of the client that uses the provider. */
  readonly runtime: Runtime;
}

/** What a module must export to be named in a configuration. */
export interface AdapterModule {
  /**
   * Optional: the URL schemes it serves, in lower case, without the colon:
   * `['consul', 'consul+tls']`. `openLocks('consul://…')` then finds it if it was registered or its
   * package is named `locks-consul`. Schemes of this library's own adapters cannot be taken.
   */
  readonly schemes?: readonly string[];
  /**
   * Creates the provider; `openLocks` closes it.
   * @throws `LOCK_MISCONFIGURED` naming the wrong option, `LOCK_UNAVAILABLE` when the backend does
   * not answer.
   */
  fromConfig(config: AdapterConfig): LockProvider | Promise<LockProvider>;
  /**
   * Optional, for `locks doctor`: inspects the servers and reports what their settings mean for
   * locks. It changes nothing, and closes what it opens.
   * @throws as `fromConfig`, where nothing can be inspected.
   */
  diagnose?(config: AdapterConfig): Promise<Diagnosis>;
}
