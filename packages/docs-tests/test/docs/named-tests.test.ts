import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readPages, root } from '../support/repository.ts';

/** The tests that pages name: by a link, or as a path of the repository. */
const named = readPages().flatMap(({ path, text }) => {
  const flat = text.replaceAll(/\s+/g, ' ');
  const links = [...flat.matchAll(/\]\(([^)]*\.test\.ts)\)(?:: "([^"]+)")?/g)].map(
    ([, file = '', title]) => ({ page: path, file: join(dirname(path), file), title }) as const,
  );
  const paths = [...flat.matchAll(/`((?:packages|nemesis|benchmarks)\/[\w./-]*\.test\.ts)`/g)].map(
    ([, file = '']) => ({ page: path, file, title: undefined }) as const,
  );
  return [...links, ...paths];
});

test('pages name tests', () => {
  expect(named.length).toBeGreaterThan(12);
});

test.each(named)('$page: $file is there', ({ file, title = '' }) => {
  expect(existsSync(join(root, file))).toBe(true);
  expect(readFileSync(join(root, file), 'utf8')).toContain(title);
});
