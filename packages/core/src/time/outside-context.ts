import { AsyncResource } from 'node:async_hooks';

/**
 * It has the context in which this package was loaded: that of the start of the process, or of a
 * late `import`.
 */
const outside = new AsyncResource('locks');

/**
 * Runs `callback` outside of the caller's asynchronous context (`AsyncLocalStorage`), and gives
 * what it gives. For all that a provider starts on its own, and for callbacks of others than its
 * caller: timers, sockets, clients, subscriptions, `wake`.
 */
export function outsideContext<T>(callback: () => T): T {
  return outside.runInAsyncScope(callback);
}
