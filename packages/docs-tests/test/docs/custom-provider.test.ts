import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPrograms } from '../support/programs.ts';
import { root } from '../support/repository.ts';

/** Empty lines apart: between the blocks of the page stands its text. */
function linesOf(source: string): readonly string[] {
  return source.split('\n').filter((line) => line !== '');
}

test('the blocks of docs/write-a-provider.md, put together, are the example', () => {
  const path = 'docs/write-a-provider.md';
  const programs = readPrograms({ path, text: readFileSync(join(root, path), 'utf8') });
  const shown = programs.find(({ file }) => file === 'folder-provider.ts')?.source ?? '';
  const example = readFileSync(join(root, 'examples/custom-provider/src/folder-provider.ts'), 'utf8');
  expect(linesOf(shown)).toEqual(linesOf(example));
  const [, ...store] = example.split('export async function createFolderProvider');
  expect(store.join().trimEnd().split('\n').length).toBeLessThanOrEqual(40);
});
