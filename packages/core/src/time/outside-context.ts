import { AsyncResource } from 'node:async_hooks';

/**
 * It has the context in which this package was loaded. That is the start of the process, or a late
 * `import`.
 */
const outside = new AsyncResource('locks');
// It waits for nothing. What looks for open handles, as Jest does, hears so.
outside.emitDestroy();

/**
 * Runs `callback` outside of the caller's asynchronous context (`AsyncLocalStorage`), and gives
 * what it gives. For what a provider starts for several callers (timers, sockets, clients,
 * subscriptions), and for callbacks of other flows, such as `wake`.
 */
export function outsideContext<T>(callback: () => T): T {
  return outside.runInAsyncScope(callback);
}
