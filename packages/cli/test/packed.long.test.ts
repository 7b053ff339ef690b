import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { pack, unpack } from '../../docs-tests/test/support/pack.ts';
import { environmentIn, ownFolder } from './support/locks-program.ts';

const packages = fileURLToPath(new URL('../..', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(packages, 'cli/package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
const own = Object.keys(dependencies).filter((name) => name.startsWith('@locks/'));
const ours = [...own, '@locks/cli'].map((name) => name.replace('@locks', 'packages'));

/** The modules that `locks` finds, from its own folder and from the root. */
const shared = [join(packages, 'cli/node_modules'), join(packages, '../node_modules')];

/** An empty folder with our packages as they are published. Other packages are links to ours. */
function installPacked(): string {
  const folder = ownFolder();
  const modules = join(folder, 'node_modules');
  for (const [name, tarball] of pack(ours, folder)) unpack(tarball, join(modules, name));
  for (const from of shared) linkAll(from, modules);
  return folder;
}

function linkAll(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (name === '@locks' || name.startsWith('.')) continue;
    if (name.startsWith('@')) {
      mkdirSync(join(to, name), { recursive: true });
      linkAll(join(from, name), join(to, name));
      continue;
    }
    try {
      symlinkSync(join(from, name), join(to, name), 'dir');
    } catch {
      // The folder of the package itself is stronger.
    }
  }
}

test('from packed tarballs the first run works, and every dependency is named', { timeout: 300_000 }, () => {
  const folder = installPacked();
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/@locks/cli/package.json'), 'utf8')) as {
    readonly bin: { readonly locks: string };
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const bin = join(folder, 'node_modules/@locks/cli', manifest.bin.locks);
  const run = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [bin, ...args], { cwd: folder, env: environmentIn(folder), encoding: 'utf8' });
  expect(run('run', 'key', '--', 'echo', 'first')).toBe('first\n');
  expect(run('ls', '--json')).toBe('');
  expect(run('check', '--only', 'exclusion-100-way')).toContain('passed: 1 passed');
  expect(readFileSync(bin, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  const imported = execFileSync('grep', ['-rhoE', String.raw`(from|import\()\s?'[@a-z][^':]*'`, dirname(bin)], {
    encoding: 'utf8',
  });
  const names = imported
    .trim()
    .split('\n')
    .map((line) => /'((?:@[^/']+\/)?[^/']+)/.exec(line)?.[1] ?? line);
  expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining([...new Set(names)]));
});
