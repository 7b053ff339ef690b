import { expect, test } from 'vitest';
import { commandProblems } from '../support/commands.ts';
import { readPages } from '../support/repository.ts';

test.each(readPages())('the commands of $path name what exists', (page) => {
  expect(commandProblems(page)).toEqual([]);
});
