import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** The folders of the packages that are published. */
export function publishedFolders() {
  return readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .filter((folder) => existsSync(join(folder, 'package.json')) && manifestOf(folder).private !== true);
}

/** Whether the package can be imported. A pure program has no API. */
export function isImportable(folder) {
  return manifestOf(folder).main !== undefined;
}

export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** The importable files in src of a built package. */
export function sourcesOf(folder) {
  return Object.values(entrySources(folder));
}

/** Each import path of a built package, with the files of its types. */
export function entriesOf(folder) {
  const { name, exports } = manifestOf(folder);
  const sources = entrySources(folder);
  return Object.entries(exports).flatMap(([path, { require }]) => {
    if (require === undefined) return [];
    const source = sources[basename(require.default, '.cjs')];
    return [{ folder, id: join(name, path), types: join(folder, 'dist', source.replace(/ts$/, 'd.ts')) }];
  });
}

function entrySources(folder) {
  return JSON.parse(readFileSync(join(folder, 'dist/entries.json'), 'utf8'));
}
