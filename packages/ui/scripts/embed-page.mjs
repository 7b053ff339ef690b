// Writes src/page/assets.ts from page/: the document, its style, and its script in one piece. As
// text in a module they are found also where a service is bundled into one file.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const folder = new URL('../page/', import.meta.url);
const target = new URL('../src/page/assets.ts', import.meta.url);

const read = (name) => readFileSync(new URL(name, folder), 'utf8');

const build = await rolldown({
  input: fileURLToPath(new URL('main.ts', folder)),
  platform: 'browser',
  // Of the sources, so that the page has no more of them than it uses.
  resolve: { alias: { '@locks/core/text': fileURLToPath(new URL('../../core/src/text/index.ts', import.meta.url)) } },
});
const { output } = await build.generate({ format: 'iife', minify: true });
await build.close();

/** In this order: later rules of the same strength win. */
const style = ['theme', 'layout', 'controls', 'keys', 'timeline']
  .map((name) => read(`style/${name}.css`))
  .join('')
  .replaceAll(/\/\*[^]*?\*\//g, '')
  .replaceAll(/\s+/g, ' ')
  .trim();
const assets = { document: read('page.html'), style, script: output[0].code.trim() };
const lines = Object.entries(assets).map(([name, text]) => `  ${name}: ${JSON.stringify(text)},`);
writeFileSync(
  target,
  [
    '// Written by scripts/embed-page.mjs from page/ at each build. Change those.',
    '',
    "export const assets: Readonly<Record<'document' | 'style' | 'script', string>> = {",
    ...lines,
    '};',
    '',
  ].join('\n'),
);
