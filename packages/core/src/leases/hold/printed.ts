import type { InspectOptionsStylized, inspect } from 'node:util';
import type { LockProvider } from '../../contract.ts';

interface Printable {
  toJSON(): object;
}

/**
 * Returns `data` with bigint values as decimal digits in JSON. The method for that is not
 * enumerable, so copies and comparisons ignore it.
 */
export function withJson<T extends object>(data: T): T {
  return Object.defineProperty(data, 'toJSON', { value: digits });
}

function digits(this: object): object {
  const shown: Record<string, unknown> = { ...this };
  for (const [name, value] of Object.entries(shown)) if (typeof value === 'bigint') shown[name] = `${value}`;
  return shown;
}

/**
 * Makes `util.inspect` and `console.log` show objects as `name` and the result of their `toJSON`.
 * Without an import: `node:util` would add half a millisecond to the load time.
 */
export function printAs(name: string, prototype: Printable): void {
  function print(this: Printable, depth: number, options: InspectOptionsStylized, show: typeof inspect): string {
    if (depth < 0) return options.stylize(`[${name}]`, 'special');
    return `${name} ${show(this.toJSON(), { ...options, depth })}`;
  }
  Object.defineProperty(prototype, Symbol.for('nodejs.util.inspect.custom'), { value: print });
}

/** Makes JSON and `console.log` show `provider` as its name and its traits. */
export function printAsProvider<T extends Pick<LockProvider, 'name' | 'traits'>>(name: string, provider: T): T {
  const toJSON = (): object => ({ name: provider.name, traits: provider.traits });
  const printable = Object.defineProperty(provider, 'toJSON', { value: toJSON }) as T & Printable;
  printAs(name, printable);
  return printable;
}
