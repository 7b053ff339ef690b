import type { Locks } from '../locks.ts';
import type { LocksOptions } from '../options/locks-options.ts';
import type { LocksConfig } from './config/locks-config.ts';
import { outsideContext } from '../time/outside-context.ts';

/**
 * Opens a client for the backend of a URL or a configuration. Imports its adapter, checks every
 * option and `requires`, and connects. `close` closes the provider too. Durations are ms or text
 * (`'250ms'`, `'30s'`, `'1h'`). A URL's query takes the options of the client and of the adapter.
 *
 * Without `target` it reads `LOCKS_URL`, and the file named by `LOCKS_CONFIG`. The order of
 * precedence: `options`, `target`, `LOCKS_URL`, the file. Within each of them, options override the
 * query of its URL.
 * @throws `LOCK_MISCONFIGURED` naming the file, the option and the solution. `LOCK_UNAVAILABLE`
 * when the backend does not answer.
 */
export async function openLocks(target?: string | URL | LocksConfig, options: LocksOptions = {}): Promise<Locks> {
  // What the adapter starts now outlives its caller's asynchronous context.
  return await outsideContext(async () => {
    // Loaded when first needed: a caller with its own provider reads no configuration.
    const { openFromConfig } = await import('./from-config.ts');
    return await openFromConfig(target, options);
  });
}
