import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const pages = ['redis-topologies.md'].map((name) => new URL(`../../../../docs/backends/${name}`, import.meta.url));

test.each(pages)('the tests that %s names are there', (page) => {
  const text = readFileSync(page, 'utf8').replaceAll(/\s+/g, ' ');
  const named = [...text.matchAll(/\]\(([^)]*\.test\.ts)\): "([^"]+)"/g)];
  expect(named.length).toBeGreaterThan(8);
  for (const [, file = '', title = ''] of named) {
    expect(readFileSync(new URL(file, page), 'utf8'), file).toContain(title);
  }
});
