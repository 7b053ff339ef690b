import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { publishedFolders, readManifest, root } from './repository.ts';

/** The workspaces that are published and can be imported. The command has a test of its own. */
export const published: readonly string[] = publishedFolders.filter(
  (folder) => readManifest(folder).main !== undefined,
);

/** Packs the workspaces as `npm publish` does. Gives the tarballs in `target` by package. */
export function pack(workspaces: readonly string[], target: string): ReadonlyMap<string, string> {
  mkdirSync(target, { recursive: true });
  const which = workspaces.map((folder) => `--workspace=${folder}`);
  const args = ['pack', ...which, '--pack-destination', target, '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', args, { cwd: root, stdio: 'ignore' });
  const files = readdirSync(target).filter((file) => file.endsWith('.tgz'));
  return new Map(
    files.map((file) => [file.replace(/^locks-(.+)-\d+\.\d+\.\d+\.tgz$/, '@locks/$1'), join(target, file)]),
  );
}

/** Unpacks a tarball into `folder`, as an installation does. */
export function unpack(tarball: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
}
