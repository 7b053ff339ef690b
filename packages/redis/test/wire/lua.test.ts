import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../lua/', import.meta.url);
const files = readdirSync(folder);

test.each(files)('%s begins by saying what it does', (file) => {
  expect(readFileSync(new URL(file, folder), 'utf8')).toMatch(/^-- [A-Z].+\.\n/);
});

const scripts = files.filter(
  (file) =>
    !['algorithm.lua', 'queue.lua', 'token.lua', 'each.lua', 'ours.lua', 'restart-guard.lua', 'fence.lua'].includes(
      file,
    ),
);

test.each(scripts)('the header of %s names the arguments that it uses, and what it returns', (file) => {
  const text = readFileSync(new URL(file, folder), 'utf8');
  const header = text.slice(0, text.search(/^[^-]/m));
  expect(header).toMatch(/-- Returns/);
  const used = new Set([...text.slice(header.length).matchAll(/ARGV\[(\d+)\]/g)].map((match) => Number(match[1])));
  const named = [...header.matchAll(/\b(\d+) (?=[a-z"])/g)].map((match) => Number(match[1]));
  for (const index of used) expect(named, `ARGV[${index}]`).toContain(index);
});
