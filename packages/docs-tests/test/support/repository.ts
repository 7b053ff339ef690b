import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A page of the documentation; `path` is relative to the root of the repository. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** What the tests read of a `package.json`. */
export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly main?: string;
  readonly types?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly private?: boolean;
  readonly engines?: { readonly node: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

/** The root of the repository, without a slash at its end. */
export const root: string = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');

const skipped: ReadonlySet<string> = new Set(['node_modules', 'dist', 'CHANGELOG.md', 'api.md']);

/**
 * All Markdown that people wrote: at the root, in `docs`, in every workspace, in `benchmarks` and
 * in `nemesis`.
 */
export function readPages(): Page[] {
  const top = readdirSync(root).filter((name) => name.endsWith('.md'));
  const below = ['docs', 'packages', 'examples', 'benchmarks', 'nemesis'].flatMap((folder) =>
    markdownBelow(join(root, folder)),
  );
  return [...top.map((name) => join(root, name)), ...below]
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The manifest of the folder, which is relative to the root, or to that of a copy. */
export function readManifest(folder: string, base: string = root): Manifest {
  return JSON.parse(readFileSync(join(base, folder, 'package.json'), 'utf8')) as Manifest;
}

/** The folders of all workspaces, relative to the root. */
export function workspaceFolders(): string[] {
  return ['packages', 'examples']
    .filter((parent) => existsSync(join(root, parent)))
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')));
}

/** The folders of the packages that are published, relative to the root. */
export const publishedFolders: readonly string[] = workspaceFolders().filter(
  (folder) => readManifest(folder).private !== true,
);

function markdownBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name) || entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}
