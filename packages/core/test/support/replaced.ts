import type { Runtime } from '../../src/index.ts';

/** `base`, with `instead` for some of its properties. */
export function replaced<T extends object>(base: T, instead: Partial<T>): T {
  return new Proxy(base, {
    get(_, name): unknown {
      const value: unknown = Reflect.get(name in instead ? instead : base, name);
      return typeof value === 'function' ? (value as () => unknown).bind(base) : value;
    },
  });
}

/** `runtime`, whose wall clock is this many ms ahead. */
export function clockAhead(runtime: Runtime, ms: number): Runtime {
  const { clock } = runtime;
  return replaced(runtime, { clock: replaced(clock, { origin: clock.origin + ms }) });
}
