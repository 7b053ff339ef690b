import type { InspectOptionsStylized, inspect } from 'node:util';

interface Printable {
  toJSON(): object;
}

/**
 * Makes `util.inspect` and `console.log` show objects as `name` and what their `toJSON` gives.
 * Imports nothing for it: `node:util` would cost half a millisecond when this package is loaded.
 */
export function printAs(name: string, prototype: Printable): void {
  function print(this: Printable, depth: number, options: InspectOptionsStylized, show: typeof inspect): string {
    if (depth < 0) return options.stylize(`[${name}]`, 'special');
    return `${name} ${show(this.toJSON(), { ...options, depth })}`;
  }
  Object.defineProperty(prototype, Symbol.for('nodejs.util.inspect.custom'), { value: print });
}
