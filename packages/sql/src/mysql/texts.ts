import { rendered } from '../dialect/names.ts';
import type { TableNames } from '../dialect/names.ts';
import { statements } from './statements.ts';

/** Statements by name. */
type Statements<Name extends string> = Readonly<Record<Name, string>>;

export type Texts = Statements<keyof typeof statements>;

/** The statements of the layout with routines as this process sends them. */
export function textsOf(options: { readonly timeout: number }, names: TableNames): Texts {
  return renderAll(statements, options, names);
}

/** `all` as this process sends them. */
export function renderAll<Name extends string>(
  all: Statements<Name>,
  { timeout }: { readonly timeout: number },
  names: TableNames,
): Statements<Name> {
  const { clock, elapsed } = statements;
  const seconds = `${Math.ceil(timeout / 1_000)}`;
  const made = Object.entries<string>(all).map(([name, text]) => {
    const whole = text.replaceAll('{clock}', clock).replaceAll('{elapsed}', elapsed).replaceAll('{seconds}', seconds);
    return [name, rendered(whole, names, '`')];
  });
  return Object.fromEntries(made) as Statements<Name>;
}
