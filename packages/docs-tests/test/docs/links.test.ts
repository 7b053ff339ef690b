import { expect, test } from 'vitest';
import { linkProblems } from '../support/links.ts';
import { readPages } from '../support/repository.ts';

test.each(readPages())('the links of $path lead somewhere', (page) => {
  expect(linkProblems(page)).toEqual([]);
});
