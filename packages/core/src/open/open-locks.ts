import type { Locks } from '../locks.ts';
import type { LocksOptions } from '../options/locks-options.ts';
import type { LocksConfig } from './config/locks-config.ts';
import { outsideContext } from '../time/outside-context.ts';

/**
 * Opens locks on the backend that a URL or a configuration names. Imports its adapter, checks every
 * option and `requires`, and connects. `close` closes the provider too. Durations are ms or text
 * (`'250ms'`, `'30s'`, `'1h'`). A URL's query takes the options of `Locks` and of the adapter.
 *
 * Without `target` it reads `LOCKS_URL`, and the file that `LOCKS_CONFIG` names. The strongest
 * comes first: `options`, `target`, `LOCKS_URL`, the file. In each of them, options are stronger
 * than the query of its URL.
 * @throws `LOCK_MISCONFIGURED` naming the file, the option and the way out. `LOCK_UNAVAILABLE` when
 * the backend does not answer.
 */
export async function openLocks(target?: string | URL | LocksConfig, options: LocksOptions = {}): Promise<Locks> {
  // What the adapter starts now lasts longer than its caller's asynchronous context.
  return await outsideContext(async () => {
    // Loaded when first needed: a caller with a provider of its own reads no configuration.
    const { openFromConfig } = await import('./from-config.ts');
    return await openFromConfig(target, options);
  });
}
