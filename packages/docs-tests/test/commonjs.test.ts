import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runNode } from './support/examples.ts';
import { published } from './support/pack.ts';
import { readManifest, root } from './support/repository.ts';

const folder = join(root, 'packages/docs-tests/.cache/commonjs');

/** All that can be imported, but for what needs a package of the user's. */
const specifiers = published.flatMap((workspace) => {
  const { name, exports = {} } = readManifest(workspace);
  const paths = Object.keys(exports).filter((path) => !/[*]|(?:json|register|vitest)$/.test(path));
  return paths.map((path) => name + path.slice(1));
});

test.each(specifiers)('require(%j) works without a warning', async (specifier) => {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${specifier.replaceAll('/', '-')}.cjs`);
  writeFileSync(path, `console.log(Object.keys(require(${JSON.stringify(specifier)})).length > 0);`);
  expect(await runNode([path], { limit: 10_000 })).toEqual({ exitCode: 0, output: 'true\n' });
});
