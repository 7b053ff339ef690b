import { scripts } from '../../src/wire/scripts.ts';

/** The names of the scripts, by their digests. */
export const scriptNames: ReadonlyMap<string, string> = new Map(
  Object.entries(scripts).map(([name, { sha }]) => [sha, name]),
);

/** A flaw in a script, and the check that finds it. */
export interface Flaw<Check extends string = string> {
  readonly name: string;
  readonly script: keyof typeof scripts;
  readonly from: string;
  readonly to: string;
  readonly fails: Check;
}

/** The text of the flawed script. */
export function flawed({ script, from, to }: Flaw): string {
  const { lua } = scripts[script];
  if (lua.split(from).length !== 2) throw new Error(`${script} says ${from} not once`);
  return lua.replace(from, () => to);
}
