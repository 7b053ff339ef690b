import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Core } from '../../src/context/core.ts';
import type { Mutant } from '../support/mutants.ts';

/** A core that gets one thing wrong: one place in one of its built files, changed. */
export interface CoreRecipe extends Mutant {
  readonly file: string;
  /** Must occur exactly once in `file`, whatever white space is between its words. */
  readonly find: string;
  readonly replace: string;
  /** It shows only where a lease ends with the session of its process. @default false */
  readonly sessions?: boolean;
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

/** The changed text of the file of a recipe. Throws if there is no such place to change. */
export function change({ name, file, find, replace }: CoreRecipe): string {
  const text = readFileSync(join(dist, file), 'utf8');
  const [place, ...more] = text.matchAll(pattern(find));
  if (place === undefined || more.length > 0) {
    throw new Error(`"${name}": ${file} must have this exactly once, so that the recipe can change it:\n${find}`);
  }
  return text.slice(0, place.index) + replace + text.slice(place.index + place[0].length);
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
    writeFileSync(join(directory, recipe.file), changed);
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
