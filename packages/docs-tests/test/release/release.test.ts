import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedFolders, readManifest, root } from '../support/repository.ts';
import type { Manifest } from '../support/repository.ts';

/** What `npm publish` would send, as `npm pack --json` prints it. */
interface Tarball {
  readonly name: string;
  readonly version: string;
  /** In bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** A copy of the repository, in which a release can be made. */
interface ReleaseCopy {
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

function createReleaseCopy(): ReleaseCopy {
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

/** What a package may weigh at most, packed, in kB, if it is more than `usualLimit`. */
const limits: Readonly<Record<string, number>> = {
  '@locks/composites': 120,
  // The nemesis, and in core's /testing the simulation: no application loads them.
  '@locks/conformance': 155,
  '@locks/core': 230,
  '@locks/redis': 100,
  '@locks/sql': 180,
  '@locks/zookeeper': 130,
};
const usualLimit = 60;

let copy: ReleaseCopy;
let tarballs: readonly Tarball[];

beforeAll(() => {
  copy = createReleaseCopy();
  copy.version();
  tarballs = copy.pack();
});

afterAll(() => copy.remove());

test('the next release has one version, which the changes in .changeset ask for', () => {
  const present = readManifest(publishedFolders[0] ?? '').version ?? '';
  const next = nextOf(present, biggestChange());
  expect(Object.fromEntries(tarballs.map(({ name, version }) => [name, version]))).toEqual(
    Object.fromEntries(publishedFolders.map((folder) => [readManifest(folder).name, next])),
  );
});

test('each package asks for the others in the same version', () => expectOwnRanges());

test.each(publishedFolders)('%s is published with its licence, README and changes, and all that it names', (folder) => {
  const { name } = readManifest(folder);
  const manifest = copy.manifests().get(name);
  const tarball = tarballs.find((each) => each.name === name);
  const paths = (tarball?.files ?? []).map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json']));
  expect(paths).toEqual(expect.arrayContaining(named(manifest)));
  // Types that entries share are in files of their own. Other modules have none.
  const typed = new Set(named(manifest).map((path) => path.replace(/\.c?js$/, '')));
  const others = paths.filter((path) => /\.d\.c?ts$/.test(path) && !typed.has(path.replace(/\.d\.c?ts$/, '')));
  expect(others.filter((path) => !path.endsWith('-types.d.cts'))).toEqual([]);
  expect(paths.filter((path) => /(?<!\.d)\.[mc]?ts$|^(?:src|test|scripts)\/|tsbuildinfo|\.env/.test(path))).toEqual([]);
  expect((tarball?.size ?? Infinity) / 1_000).toBeLessThan(limits[name] ?? usualLimit);
});

test.each(publishedFolders)('the README of %s has how to install it, an example, and a link to more', (folder) => {
  const text = readFileSync(join(root, folder, 'README.md'), 'utf8');
  const { name } = readManifest(folder);
  expect(text).toMatch(new RegExp(`^# ${name}\n\n[A-Z]`));
  expect(text).toMatch(new RegExp(`^(?:npm install|npx) .*${name}(?:\\s|$)`, 'm'));
  expect(text).toMatch(/^```(?:ts(?: app=guides)?|sh no-check: the command is yours)$/m);
  expect(text).toMatch(/\]\(\.\.\/\.\.\/docs\/[\w/-]+\.md/);
});

test('after it, a minor change of one package is the next minor version of all', () => {
  const present = tarballs[0]?.version ?? '';
  copy.change('@locks/core', 'minor');
  copy.version();
  expectVersion(nextOf(present, 'minor'));
  expectOwnRanges();

  copy.change('@locks/redis', 'patch');
  copy.version();
  expectVersion(nextOf(nextOf(present, 'minor'), 'patch'));
  expectOwnRanges();
});

function expectVersion(version: string): void {
  expect([...new Set([...copy.manifests().values()].map((manifest) => manifest.version))]).toEqual([version]);
}

function expectOwnRanges(): void {
  const manifests = copy.manifests();
  for (const { name, version, dependencies, peerDependencies } of manifests.values()) {
    const ranges = Object.entries({ ...dependencies, ...peerDependencies }).filter(([each]) => manifests.has(each));
    for (const [each, range] of ranges) expect(`${name}: ${each} ${range}`).toBe(`${name}: ${each} ^${version}`);
  }
}

/** The biggest change that waits. */
function biggestChange(): 'minor' | 'patch' | 'none' {
  const folder = join(root, '.changeset');
  const files = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const heads = files.map((name) => readFileSync(join(folder, name), 'utf8').split('---')[1] ?? '');
  expect(heads.filter((head) => head.includes(': major'))).toEqual([]);
  if (heads.some((head) => head.includes(': minor'))) return 'minor';
  return heads.length > 0 ? 'patch' : 'none';
}

function nextOf(version: string, change: 'minor' | 'patch' | 'none'): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (change === 'none') return version;
  return change === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** The files that a manifest names, in the form of a tarball's. */
function named({ main, types, bin = {}, exports = {} }: Partial<Manifest> = {}): string[] {
  const files = [main, types, ...Object.values(bin), ...targets(exports)].filter((file) => file !== undefined);
  return files.filter((file) => !file.includes('*')).map((file) => file.replace(/^\.\//, ''));
}

function targets(exports: unknown): readonly string[] {
  if (typeof exports === 'string') return [exports];
  return Object.values(exports as Record<string, unknown>).flatMap((each) => targets(each));
}
