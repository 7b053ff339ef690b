import { AsyncResource } from 'node:async_hooks';

/**
 * Its context is that of the load of this package: the start of the process, or a late `import`.
 */
const outside = new AsyncResource('locks');
// It waits for nothing, and must not count as an open handle, in Jest for example.
outside.emitDestroy();

/**
 * Runs `callback` outside of the caller's asynchronous context (`AsyncLocalStorage`), and returns
 * its result. For what a provider starts for several callers (timers, sockets, clients,
 * subscriptions), and for callbacks of other flows, such as `wake`.
 */
export function outsideContext<T>(callback: () => T): T {
  return outside.runInAsyncScope(callback);
}
