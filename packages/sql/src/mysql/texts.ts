import type { StoreOptions } from '../dialect/lock-store.ts';
import { rendered } from '../dialect/names.ts';
import type { TableNames } from '../dialect/names.ts';
import { statements } from './statements.ts';

export type Texts = Readonly<Record<keyof typeof statements, string>>;

/** The statements as this process sends them. */
export function textsOf({ timeout }: StoreOptions, names: TableNames): Texts {
  const { clock, elapsed } = statements;
  const seconds = `${Math.ceil(timeout / 1_000)}`;
  const made = Object.entries(statements).map(([name, text]) => {
    const whole = text.replaceAll('{clock}', clock).replaceAll('{elapsed}', elapsed).replaceAll('{seconds}', seconds);
    return [name, rendered(whole, names, '`')];
  });
  return Object.fromEntries(made) as Texts;
}
