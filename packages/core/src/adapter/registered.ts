import type { AdapterModule } from './adapter-config.ts';

/** For all copies of this package: a bundle may have one, and the adapter another. */
const name = Symbol.for('@locks/core/adapters/1');
const shared = globalThis as { [name]?: Map<string, AdapterModule> };
shared[name] ??= new Map();
const adapters = shared[name];

/**
 * Registers `module` as the adapter that `openLocks` uses for `provider`, the name of an adapter or
 * the id of a module, and for URLs with its `schemes`. The last call wins. For bundled code, where
 * no module can be found by its name: an adapter calls it in a separate module, such as
 * `@locks/redis/register`.
 */
export function registerAdapter(provider: string, module: AdapterModule): void {
  adapters.set(provider, module);
}

/** The registered adapter that serves `scheme`. */
export function registeredFor(scheme: string): AdapterModule | undefined {
  return [...adapters.values()].find((module) => serves(module, scheme));
}

/** Whether the module serves URLs with `scheme`. */
export function serves({ schemes }: AdapterModule, scheme: string): boolean {
  return Array.isArray(schemes) && schemes.includes(scheme);
}

export function registered(provider: string): AdapterModule | undefined {
  return adapters.get(provider);
}
