import { setTimeout as sleep } from 'node:timers/promises';

/** What an application may have wrapped around its client. */
export const wraps = ['none', 'slow', 'repeats'] as const;

/** The most delay that a wrapper adds to a call, in ms. */
const longestDelay = 30;

/**
 * A client as tracing and retry libraries make it: a `Proxy` whose calls of `methods` are delayed,
 * or repeated when they fail.
 */
export function wrapped<Client extends object>(client: Client, wrap: unknown, methods: readonly string[]): Client {
  if (wrap !== 'slow' && wrap !== 'repeats') return client;
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: readonly unknown[]) => unknown;
      if (!methods.includes(String(name))) return call;
      return async (...args: readonly unknown[]) => {
        if (wrap === 'slow') await sleep(Math.random() * longestDelay);
        try {
          return await call(...args);
        } catch (error) {
          if (wrap === 'slow') throw error;
          return await call(...args);
        }
      };
    },
  });
}
