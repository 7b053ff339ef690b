// Usage: node site/make-pages.mjs
//
// Writes the pages that are made of other files, into site/made: the API of each published package,
// from its built types, the list of packages, and that of the decisions.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { declarationsOf } from './declarations.mjs';
import { titleOf } from './pages.mjs';
import { root } from './repository.mjs';

const made = join(root, 'site/made');
const packages = readdirSync(join(root, 'packages'))
  .filter((name) => existsSync(join(root, 'packages', name, 'package.json')))
  .map((name) => ({ name, manifest: JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) }))
  .filter(({ manifest }) => manifest.private !== true);
const entries = packages.flatMap(entriesOf);
const isOurs = (file) => file.startsWith(`${root}/packages/`) && !file.includes('/node_modules/');
const declarations = declarationsOf(
  entries.map(({ types }) => types),
  isOurs,
);

rmSync(made, { recursive: true, force: true });
mkdirSync(join(made, 'api'), { recursive: true });
write('packages.md', [
  '# Packages',
  `All have version ${packages[0].manifest.version}.`,
  table(packages.map(packageRow)),
]);
write('decisions.md', ['# Decisions', 'Why it is as it is.', decisions().join('\n')]);
for (const { name, manifest } of packages.filter(hasApi)) {
  const own = entries.filter((entry) => entry.name === name);
  const intro = 'Made of the types and docstrings of the package.';
  write(`api/${name}.md`, [`# API of \`${manifest.name}\``, intro, ...own.flatMap(section)]);
}

function write(file, parts) {
  writeFileSync(join(made, file), `${parts.join('\n\n')}\n`);
}

/** Each import path of a package, and the built types behind it. */
function entriesOf({ name, manifest }) {
  const sources = `packages/${name}/dist/entries.json`;
  if (!hasApi({ manifest })) return [];
  if (!existsSync(join(root, sources))) throw new Error(`there is no ${sources}: npm run build`);
  const files = JSON.parse(readFileSync(join(root, sources), 'utf8'));
  return Object.entries(manifest.exports).flatMap(([path, { require }]) => {
    if (require === undefined) return [];
    const file = files[basename(require.default, '.cjs')].replace(/ts$/, 'd.ts');
    return [{ name, id: join(manifest.name, path), types: join(root, 'packages', name, 'dist', file) }];
  });
}

/** One that is a program alone has none. */
function hasApi({ manifest }) {
  return manifest.main !== undefined;
}

/** The names of an import path. Those of an earlier one of the package are not repeated. */
function section({ name, id, types }) {
  const earlier = entries
    .slice(
      0,
      entries.findIndex((entry) => entry.types === types),
    )
    .filter((entry) => entry.name === name);
  const known = new Set(earlier.flatMap((entry) => declarations.get(entry.types).map((each) => each.code)));
  const all = declarations.get(types).toSorted((a, b) => a.name.localeCompare(b.name));
  const repeated = all
    .filter(({ code }) => known.has(code))
    .map((each) => `[\`${each.name}\`](#${each.name.toLowerCase()})`);
  return [
    `## \`${id}\``,
    ...all
      .filter(({ code }) => !known.has(code))
      .flatMap(({ name: own, doc, code }) => [`### ${own}`, doc, `\`\`\`ts\n${code}\n\`\`\``]),
    ...(repeated.length === 0 ? [] : [`It also exports ${repeated.join(', ')}.`]),
  ];
}

function packageRow({ name, manifest }) {
  const api = hasApi({ manifest }) ? `[API](api/${name}.md)` : '';
  return [`[\`${manifest.name}\`](../../packages/${name}/README.md)`, manifest.description, api];
}

function table(rows) {
  return [['package', 'for', 'names'], ['---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function decisions() {
  return readdirSync(join(root, 'docs/adr'))
    .toSorted()
    .map((file) => `- [${titleOf(`docs/adr/${file}`)}](../../docs/adr/${file})`);
}
