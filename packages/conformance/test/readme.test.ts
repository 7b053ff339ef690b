import { readFileSync } from 'node:fs';
import { requirements } from '@locks/conformance';
import { expect, test } from 'vitest';

test('the README has the number of requirements', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme.match(/\d+ requirements/g)).toEqual([`${requirements.length} requirements`]);
});
