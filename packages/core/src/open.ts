import type { AdapterModule } from './adapter-config.ts';
import type { Locks } from './locks.ts';
import type { LocksOptions } from './locks-options.ts';
import { outsideContext } from './outside-context.ts';

/** Where the locks live and how they are taken: what a configuration file says. */
export interface LocksConfig extends LocksOptions {
  /**
   * The adapter: `memory`, `redis`, `zookeeper`, `sql` (each from `@locks/<name>`), the id of any module that exports
   * `fromConfig`, or such a module itself. @default by the scheme of `url`
   */
  readonly provider?: string | AdapterModule | undefined;
  /** Where the backend is. */
  readonly url?: string | undefined;
  /** The adapter's own options; its page in `docs/backends` lists them. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Opens locks on the backend that a URL or a configuration names: imports its adapter, checks every option and `requires`,
 * and connects. `close` closes the provider too. A URL's query takes the options of `Locks` and of the adapter, durations
 * also as `250ms`, `30s`, `5m` or `1h`; `options` are stronger.
 * @throws `LOCK_MISCONFIGURED` naming what is wrong and the way out; `LOCK_UNAVAILABLE` when the backend does not answer.
 */
export async function openLocks(target: string | LocksConfig, options: LocksOptions = {}): Promise<Locks> {
  // What the adapter starts now lasts longer than its caller's asynchronous context.
  return await outsideContext(async () => {
    // Loaded when first needed: whoever brings a provider reads no configuration.
    const { openFromConfig } = await import('./open-locks.ts');
    return await openFromConfig(target, options);
  });
}
