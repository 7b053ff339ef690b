import { existsSync, readFileSync, readdirSync } from 'node:fs';
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

/** What gives no codes: drivers, servers behind them, Node and runners of tests. */
const foreign = [
  'conformance/src/context/failures.ts',
  'conformance/src/report.ts',
  'composites/src/members/member-health.ts',
  'core/src/errors/foreign-errors.ts',
  'core/src/errors/tls-refusal.ts',
  'core/src/open/find-module.ts',
  'redis/',
  'sql/src/connections/pool-queue.ts',
  'sql/src/mysql/clients/',
  'sql/src/sqlite/',
];

test('no code reads or rewrites the message of a LockError: what others need is in its fields', () => {
  const reads =
    /[mM]essage(?:Of\([^)]*\))?\)?\.(?:replace(?:All)?|match|includes|startsWith|endsWith|split|search)\(|\.(?:exec|test)\([^)]*\b(?:error|cause|failure|reason)\w*\.message\b/;
  const packages = join(root, 'packages');
  const sources = readdirSync(packages)
    .map((name) => join(name, 'src'))
    .filter((folder) => existsSync(join(packages, folder)));
  const paths = sources.flatMap((folder) =>
    readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  const own = paths.filter((path) => path.endsWith('.ts') && !foreign.some((start) => path.startsWith(start)));
  expect(own.filter((path) => reads.test(readFileSync(join(packages, path), 'utf8')))).toEqual([]);
});
