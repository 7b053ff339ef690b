// Writes dist/bundle, which a package publishes: see docs/adr/0004. The code is CommonJS. An ES
// module beside each entry exports the same again. Types are one file per entry, and files for
// shared types, made from the output of `tsc -b`.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { rollup } from 'rollup';

// The plugin needs the API of TypeScript, which version 7 lacks.
const require = createRequire(import.meta.url);
require('typescript-5.9');
require.cache[require.resolve('typescript')] = require.cache[require.resolve('typescript-5.9')];
const { dts } = await import('rollup-plugin-dts');

/** As in tsconfig.base.json. */
const syntax = 'es2023';

/** Imports of other packages and of Node, without the helpers of older syntax. */
const external = /^(?!@oxc-project\/)[@a-z]/;

/** An `import()` of any module, in the sources. It is kept; the others become `require`. */
const native = /\bimport\(\/\* any module \*\//g;

/**
 * Bundles the package in `folder`.
 *
 * - `entries`: files below `src`, by the names that they get.
 * - `apart`: files that take the modules whose path they match, which `import()` loads.
 * - `groups`: files that take the modules whose path they match. By default one takes all but the
 *   entries, and is called like the package. Node searches an entry for its exports, which takes
 *   longer than to run it: so entries are small.
 * - `programs`: entries that are run and have no types.
 * - `importers`: entries that use a package which cannot be required. Their ES module imports it.
 * - `modules`: the ES modules have the code, too. For a package over one that test runners cannot
 *   require.
 * - `maps`: whether there are source maps.
 */
export async function bundle(folder, options) {
  const { entries, groups, apart = {}, programs = [], importers = [], modules = false, maps = true } = options;
  const root = fileURLToPath(folder);
  const target = join(root, 'dist/bundle');
  const input = mapped(entries, (file) => join(root, 'src', file));
  const isInside = (id) => id.startsWith(join(root, 'src/')) && !Object.values(input).includes(id);
  const first = Object.entries(apart).map(([name, test]) => ({ name, test, priority: 1 }));
  const chunks = [...first, ...(groups ?? [{ name: basename(root), test: isInside }])];
  const written = await writeCode(input, target, { groups: chunks, maps });
  for (const [name, exports] of written) {
    if (!importers.includes(name)) writeFileSync(join(target, `${name}.js`), moduleOf(name, exports));
  }
  for (const name of importers) await writeImporter(name, input[name], target);
  if (modules) await writeModules(input, target);
  const typed = Object.keys(entries).filter((name) => !programs.includes(name));
  await writeTypes(
    mapped(pick(entries, typed), (file) => join(root, 'dist', file.replace(/ts$/, 'd.ts'))),
    target,
  );
  // .ci/api-report.mjs reads it.
  writeFileSync(join(root, 'dist/entries.json'), JSON.stringify(entries));
  for (const name of typed) writeFileSync(join(target, `${name}.d.ts`), `export * from './${name}.cjs';\n`);
}

async function writeCode(input, dir, { groups, maps }) {
  const build = await rolldown({
    input,
    external,
    platform: 'node',
    transform: { target: syntax },
    plugins: [importsStay],
    preserveEntrySignatures: 'allow-extension',
  });
  const { output } = await build.write({
    dir,
    format: 'cjs',
    exports: 'named',
    esModule: true,
    // Jest runs CommonJS where no `import()` works.
    dynamicImportInCjs: false,
    codeSplitting: { includeDependenciesRecursively: false, groups: [...groups] },
    // With `node --enable-source-maps` a stack trace names the source and its line.
    sourcemap: maps,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    cleanDir: true,
  });
  await build.close();
  for (const { fileName, code } of output.filter(({ type }) => type === 'chunk')) {
    writeFileSync(join(dir, fileName), code.replaceAll(getter, 'exports.$1 = $2;'));
  }
  const entries = output.filter(({ isEntry }) => isEntry);
  return entries.map(({ fileName, exports }) => [fileName.replace(/\.cjs$/, ''), exports]);
}

/** Bundlers leave it alone. */
const unseen = 'import(/* webpackIgnore: true */ /* @vite-ignore */ ';

/** No line of a source moves, so source maps stay right. */
const importsStay = {
  name: 'imports-stay',
  transform: (code) => ({ code: code.replaceAll(native, 'nativeImport('), map: null }),
  renderChunk: (code) => ({ code: code.replaceAll('nativeImport(', unseen), map: null }),
};

/** No export changes its value here: a getter for each would only cost size and time. */
const getter =
  /Object\.defineProperty\(exports, "(\w+)", \{\n\tenumerable: true,\n\tget: function\(\) \{\n\t\treturn (\w+);\n\t\}\n\}\);/g;

/** An ES module over `<name>.cjs`. Names are written out: Node and bundlers read them. */
function moduleOf(name, exports) {
  const names = exports.toSorted();
  return names.length === 0 ? `import './${name}.cjs';\n` : `export { ${names.join(', ')} } from './${name}.cjs';\n`;
}

/** What it imports of its package must be exported by the index. */
async function writeImporter(name, input, dir) {
  const overIndex = {
    name: 'over-index',
    resolveId: (source, importer) =>
      importer !== undefined && source.startsWith('.') ? { id: './index.cjs', external: true } : null,
  };
  const build = await rolldown({
    input,
    external,
    platform: 'node',
    transform: { target: syntax },
    plugins: [overIndex],
  });
  await build.write({ file: join(dir, `${name}.js`), format: 'esm' });
  await build.close();
}

async function writeModules(input, dir) {
  const build = await rolldown({ input, external, platform: 'node', transform: { target: syntax } });
  await build.write({ dir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'shared.js' });
  await build.close();
}

async function writeTypes(input, dir) {
  const build = await rollup({ input, external, plugins: [dts()] });
  const { output } = await build.write({
    dir,
    format: 'es',
    minifyInternalExports: false,
    entryFileNames: '[name].d.cts',
    chunkFileNames: ({ name }) => `${name.replace(/\.d$/, '')}-types.d.cts`,
  });
  await build.close();
  for (const { code } of output) checkImports(code, dir);
}

/** Each import is of an existing file. */
function checkImports(code, dir) {
  for (const [, from] of code.matchAll(/from '(\.\/[^']*)\.cjs'/g)) readFileSync(join(dir, `${from}.d.cts`));
}

function mapped(record, change) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function pick(record, names) {
  return Object.fromEntries(names.map((name) => [name, record[name]]));
}
