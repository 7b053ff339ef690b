import type { Locks } from '../locks/locks.ts';
import type { LocksOptions } from '../options/locks-options.ts';
import type { LocksConfig } from './locks-config.ts';
import { outsideContext } from '../time/outside-context.ts';

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
    const { openFromConfig } = await import('./from-config.ts');
    return await openFromConfig(target, options);
  });
}
