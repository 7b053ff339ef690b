import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A change of built files that removes something essential. */
export interface Flaw {
  readonly changes: readonly Change[];
  /** What the checker must report then: one of these. */
  readonly mustFind: RegExp;
}

/**
 * `find` must occur exactly once in the built files, with any quotes, and any white space between
 * its words. A bundler writes `void 0` for `undefined`.
 */
export interface Change {
  readonly find: string;
  readonly replace: string;
}

function patternOf(find: string): RegExp {
  const words = find.split(/\s+/).map((word) =>
    word
      .replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
      .replaceAll(/['"]/g, `['"]`)
      .replaceAll('undefined', '(?:undefined|void 0)'),
  );
  return new RegExp(words.join(String.raw`\s+`), 'g');
}

/** Changes the built files of the package in `folder`. */
export function spoil(folder: string, { changes }: Pick<Flaw, 'changes'>): void {
  const built = join(folder, 'dist');
  const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((file) => /\.c?js$/.test(file));
  for (const { find, replace } of changes) {
    const pattern = patternOf(find);
    const places = files.flatMap((file) => {
      const code = readFileSync(join(built, file), 'utf8');
      return [...code.matchAll(pattern)].map(({ index, 0: text }) => ({ file, code, index, text }));
    });
    const [place] = places;
    if (place === undefined || places.length > 1) {
      throw new Error(`The package must have this exactly once, so that the flaw can change it:\n${find}`);
    }
    const { file, code, index, text } = place;
    writeFileSync(join(built, file), code.slice(0, index) + replace + code.slice(index + text.length));
  }
}
