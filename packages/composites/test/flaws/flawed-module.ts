import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { coreSource } from '../../../core/test/support/core-source.ts';

/** A change of one place in a file of the sources. */
export interface Flaw {
  readonly file: string;
  /** Must occur exactly once in `file`, whatever white space is between its words. */
  readonly find: string;
  readonly replace: string;
}

/** Makes flaws of `file`. */
export const flawIn =
  (file: string) =>
  (find: string, replace: string): Flaw => ({ file, find, replace });

/**
 * The module `entry`, with the sources in `folder` changed by `flaws`. Throws where there is no
 * such place to change.
 */
export async function moduleWith<Exports>(entry: URL, folder: string, flaws: readonly Flaw[]): Promise<Exports> {
  const changed = new Set<Flaw>();
  const bundle = await rolldown({
    input: fileURLToPath(entry),
    platform: 'node',
    resolve: { alias: { ...coreSource } },
    plugins: [
      {
        name: 'flaws',
        transform(code, id) {
          const own = flaws.filter(({ file }) => id.endsWith(`/${folder}/${file}`));
          for (const flaw of own) changed.add(flaw);
          return own.reduce(change, code);
        },
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const missed = flaws.find((flaw) => !changed.has(flaw));
  if (missed !== undefined) throw new Error(`${entry.href} does not import ${missed.file}`);
  const code = Buffer.from(output[0].code).toString('base64');
  return (await import(`data:text/javascript;base64,${code}`)) as Exports;
}

function change(code: string, { file, find, replace }: Flaw): string {
  const words = find.split(/\s+/).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  const [place, ...more] = code.matchAll(new RegExp(words.join('\\s+'), 'g'));
  if (place === undefined || more.length > 0) {
    throw new Error(`${file} must have this exactly once, so that the flaw can change it:\n${find}`);
  }
  return code.slice(0, place.index) + replace + code.slice(place.index + place[0].length);
}
