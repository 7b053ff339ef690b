// Usage: node site/check-search.mjs
//
// Asks the search of the built site, site/dist, the questions of search-questions.mjs as its search
// box does. Exit code 1: a page that must be the first is another one.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';
import { searchOptions } from './search-options.mjs';
import { questions } from './search-questions.mjs';

const chunks = fileURLToPath(new URL('dist/assets/chunks/', import.meta.url));
const file = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndex'));
const { default: index } = await import(`${chunks}${file}`);
const search = MiniSearch.loadJSON(index, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions,
});
let wrong = 0;
for (const [question, page] of Object.entries(questions)) {
  const found = [...new Set(search.search(question).map(({ id }) => pageOf(id)))];
  const rank = found.indexOf(page) + 1;
  if (rank !== 1) wrong += 1;
  process.stdout.write(
    `${`${rank || '–'}`.padStart(3)}  ${question}: ${rank === 1 ? page : found.slice(0, 4).join(', ')}\n`,
  );
}
process.stdout.write(`${Object.keys(questions).length} questions, ${wrong} whose page is not the first\n`);
process.exitCode = wrong === 0 ? 0 : 1;

function pageOf(id) {
  return id
    .replace(/#.*/, '')
    .replace(/\.html$/, '')
    .replace(/\/index$/, '/');
}
