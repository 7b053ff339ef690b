// Usage: npm run release:version
//
// Gives the published packages in the working folder their next version, as the files in .changeset
// say, and writes their CHANGELOG.md: `changeset version`, with two differences.
//
// - In 0.x a minor version leaves the range `^0.1.0` of those that have the package as a peer.
//   changesets makes this their next major version, and with it that of all packages. So it is
//   shown the range `*`.
// - It writes each package.json anew. Here nothing but the version and the ranges change.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = process.cwd();
const rootManifest = join(root, 'package.json');
const workspaces = ['packages', 'examples']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name, 'package.json')))
  .filter((file) => existsSync(file));
const before = new Map([rootManifest, ...workspaces].map((file) => [file, readFileSync(file, 'utf8')]));
const published = new Set(
  workspaces
    .map((file) => JSON.parse(before.get(file)))
    .filter((each) => each.private !== true)
    .map(({ name }) => name),
);

let versions = new Map();
try {
  for (const [file, text] of before) writeFileSync(file, withAnyPeer(text));
  const { resolve } = createRequire(rootManifest);
  execFileSync(process.execPath, [resolve('@changesets/cli/bin.js'), 'version'], { cwd: root, stdio: 'inherit' });
  versions = new Map(workspaces.map((file) => [file, JSON.parse(readFileSync(file, 'utf8')).version]));
} finally {
  for (const [file, text] of before) writeFileSync(file, text);
}
const [version, ...others] = new Set(workspaces.filter(isPublished).map((file) => versions.get(file)));
if (others.length > 0) throw new Error(`The packages have several versions: ${[version, ...others].join(', ')}`);
for (const [file, text] of before)
  writeFileSync(file, withVersion(text, { own: isPublished(file) || file === rootManifest, version }));

function isPublished(file) {
  return published.has(JSON.parse(before.get(file)).name);
}

function withAnyPeer(text) {
  const manifest = JSON.parse(text);
  for (const name of Object.keys(manifest.peerDependencies ?? {})) {
    if (published.has(name)) manifest.peerDependencies[name] = '*';
  }
  return JSON.stringify(manifest, undefined, 2);
}

/** With `next` in each range of a published package. `own`: as its version, too. */
function withVersion(text, { own, version: next }) {
  const ranges = text.replaceAll(/("(@locks\/[\w-]+)": "\^?)\d[^"]*"/g, (range, start, name) =>
    published.has(name) ? `${start}${next}"` : range,
  );
  return own ? ranges.replace(/^(\s*"version": ")[^"]*"/m, `$1${next}"`) : ranges;
}
