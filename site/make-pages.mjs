// Usage: node site/make-pages.mjs
//
// Writes the pages that are made of other files, into site/made: the API of each published package,
// from its built types, the list of packages.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { entriesOf, isImportable, manifestOf, publishedFolders, root } from '../.ci/published.mjs';
import { declarationsOf } from './declarations.mjs';
import { anchorOf } from './links.mjs';

const made = join(root, 'site/made');
const folders = publishedFolders();
const types = folders.filter(isImportable).flatMap((folder) => entriesOf(folder).map((entry) => entry.types));
const declarations = declarationsOf(types, (file) => file.startsWith(join(root, 'packages')));

rmSync(made, { recursive: true, force: true });
mkdirSync(join(made, 'api'), { recursive: true });
write('packages.md', ['# Packages', `All have version ${manifestOf(folders[0]).version}.`, ...folders.map(describe)]);
for (const folder of folders.filter(isImportable)) write(`api/${basename(folder)}.md`, apiOf(folder));

function write(file, paragraphs) {
  writeFileSync(join(made, file), `${paragraphs.join('\n\n')}\n`);
}

function describe(folder) {
  const { name, description } = manifestOf(folder);
  const readme = `[\`${name}\`](../../packages/${basename(folder)}/README.md)`;
  return `- ${readme}${isImportable(folder) ? ` ([API](api/${basename(folder)}.md))` : ''}: ${description}.`;
}

/** The names of each import path. Those of an earlier one are not repeated. */
function apiOf(folder) {
  const known = new Set();
  const sections = entriesOf(folder).flatMap((entry) => {
    const all = declarations.get(entry.types).toSorted((a, b) => a.name.localeCompare(b.name));
    const repeated = all.filter(({ code }) => known.has(code)).map(({ name }) => `[\`${name}\`](#${anchorOf(name)})`);
    const own = all.filter(({ code }) => !known.has(code));
    own.forEach(({ code }) => known.add(code));
    return [
      `## \`${entry.id}\``,
      ...own.flatMap(({ name, doc, code }) => [`### ${name}`, doc, `\`\`\`ts\n${code}\n\`\`\``]),
      ...(repeated.length === 0 ? [] : [`It also exports ${repeated.join(', ')}.`]),
    ];
  });
  return [`# API of \`${manifestOf(folder).name}\``, 'Made of its types and docstrings.', ...sections];
}
