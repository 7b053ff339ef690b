import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = new URL('../../../../docs/backends/redis.md', import.meta.url);

test('the tests that the page of Redis names are there', () => {
  const text = readFileSync(page, 'utf8').replaceAll(/\s+/g, ' ');
  const named = [...text.matchAll(/\]\(([^)]*\.test\.ts)\): "([^"]+)"/g)];
  expect(named.length).toBeGreaterThan(8);
  for (const [, file = '', title = ''] of named) {
    expect(readFileSync(new URL(file, page), 'utf8'), file).toContain(title);
  }
});
