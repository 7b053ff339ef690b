import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Core } from '../../src/context/core.ts';
import type { Mutant } from '../support/mutants.ts';

/**
 * A core that gets one thing wrong: one place in its built files, changed. No file is named, so
 * code may move from one to another.
 */
export interface CoreRecipe extends Mutant {
  /** Must occur exactly once in all files together, whatever white space is between its words. */
  readonly find: string;
  readonly replace: string;
  /** It shows only where a lease ends with the session of its process. @default false */
  readonly sessions?: boolean;
  /** Whether the store has registers. @default true */
  readonly registers?: boolean;
  /** It shows only where the event loop does nothing else. @default false */
  readonly alone?: boolean;
}

// The files that tsc wrote, of which the published one is a bundle.
const dist = dirname(dirname(fileURLToPath(import.meta.resolve('@locks/core'))));

/** What was made of a recipe. */
export interface Meal {
  readonly core: Core;
  /** Removes its files. */
  remove(): void;
}

/** The built files by name. Without what is left of a source file that was removed. */
function builtFiles(): ReadonlyMap<string, string> {
  const sources = readdirSync(join(dirname(dist), 'src'), { recursive: true, encoding: 'utf8' });
  const names = sources.filter((name) => name.endsWith('.ts')).map((name) => name.replace(/ts$/, 'js'));
  return new Map(names.map((name) => [name, readFileSync(join(dist, name), 'utf8')]));
}

let files: ReadonlyMap<string, string> | undefined;

/** The file of a recipe, and its changed text. Throws if there is no such place to change. */
export function change({ name, find, replace }: CoreRecipe): { readonly file: string; readonly text: string } {
  files ??= builtFiles();
  const places = [...files].flatMap(([file, text]) =>
    [...text.matchAll(pattern(find))].map(({ index, 0: { length } }) => {
      return { file, text: text.slice(0, index) + replace + text.slice(index + length) };
    }),
  );
  const [place] = places;
  if (place !== undefined && places.length === 1) return place;
  const where = places.length === 0 ? 'nowhere' : `in ${places.map(({ file }) => file).join(', ')}`;
  throw new Error(
    `"${name}": core must have this exactly once, so that the recipe can change it. It is ${where}:\n${find}`,
  );
}

/**
 * A copy of the built core with the change of `recipe`. Throws if there is no such place to change.
 */
export function cook(recipe: CoreRecipe): Meal {
  const changed = change(recipe);
  const directory = mkdtempSync(join(tmpdir(), 'locks-flawed-core-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    cpSync(dist, directory, { recursive: true, filter: (source) => !/\.(map|d\.ts)$/.test(source) });
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(directory, changed.file), changed.text);
    // Past the loader of the test runner, which would not find it there.
    return { core: createRequire(import.meta.url)(join(directory, 'index.js')) as Core, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function pattern(find: string): RegExp {
  const words = find.split(/\s+/).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  return new RegExp(words.join('\\s+'), 'g');
}
