import { inspect } from 'node:util';
import type { InspectOptionsStylized } from 'node:util';

interface Printable {
  toJSON(): object;
}

/** Makes `util.inspect` and `console.log` show objects as `name` and what their `toJSON` gives. */
export function printAs(name: string, prototype: Printable): void {
  const print = function print(this: Printable, depth: number, options: InspectOptionsStylized): string {
    if (depth < 0) return options.stylize(`[${name}]`, 'special');
    return `${name} ${inspect(this.toJSON(), { ...options, depth })}`;
  };
  Object.defineProperty(prototype, inspect.custom, { value: print });
}
