import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readHeadings } from '../support/links.ts';
import { root } from '../support/repository.ts';

test('docs/errors.md has one heading for every error code', () => {
  const source = readFileSync(join(root, 'packages/core/src/errors/lock-error.ts'), 'utf8');
  const codes = [...source.matchAll(/^ {2}\| '(LOCK_[A-Z_]+)'/gm)].map(([, code = '']) => code);
  expect(codes).toContain('LOCK_TIMEOUT');

  const headings = readHeadings(readFileSync(join(root, 'docs/errors.md'), 'utf8'));
  const documented = headings.flatMap((heading) => heading.match(/LOCK_[A-Z_]+/g) ?? []);
  expect(documented.toSorted()).toEqual(codes.toSorted());
});
