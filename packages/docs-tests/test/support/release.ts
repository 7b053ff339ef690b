import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishedFolders, readManifest, root } from './repository.ts';
import type { Manifest } from './repository.ts';

/** What `npm publish` would send, as `npm pack --json` prints it. */
export interface Tarball {
  readonly name: string;
  readonly version: string;
  /** In bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** A copy of the repository, in which a release can be made. */
export interface ReleaseCopy {
  /** Writes a file as `npx changeset` does. */
  change(packageName: string, bump: 'minor' | 'patch'): void;
  /** `npm run release:version`, without the lock file. */
  version(): void;
  /** The manifests of the packages that are published, by their names. */
  manifests(): ReadonlyMap<string, Manifest>;
  /** Without writing any. */
  pack(): readonly Tarball[];
  remove(): void;
}

export function createReleaseCopy(): ReleaseCopy {
  const folder = mkdtempSync(join(tmpdir(), 'locks-release-'));
  // Of other builds than the command's nothing but the bundle is published. Checks that run at the
  // same time make tarballs, and remove them.
  const left = /\/(?:node_modules|src|test|\.cache)$|\.tgz$|\/(?!cli\/)[\w-]+\/dist\/(?!bundle)/;
  for (const name of ['package.json', '.changeset', 'scripts', 'packages', 'examples']) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !left.test(path) });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
  return {
    change: (packageName, bump) =>
      writeFileSync(join(folder, '.changeset/one-more.md'), `---\n'${packageName}': ${bump}\n---\n\nA change.\n`),
    version: () => void execFileSync(process.execPath, ['scripts/release-version.mjs'], options),
    manifests: () =>
      new Map(publishedFolders.map((each) => readManifest(each, folder)).map((each) => [each.name, each])),
    pack() {
      const workspaces = publishedFolders.map((each) => `--workspace=${each}`);
      const args = ['pack', '--dry-run', '--json', '--ignore-scripts', ...workspaces];
      return JSON.parse(execFileSync('npm', args, options)) as Tarball[];
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
