import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runNode } from './support/examples.ts';
import { published } from './support/pack.ts';
import { readManifest, root } from './support/repository.ts';

const folder = join(root, 'packages/docs-tests/.cache/commonjs');

async function runCommonJs(name: string, source: string) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.cjs`);
  writeFileSync(path, source);
  return runNode([path], { limit: 10_000 });
}

test('CommonJS takes a lock with what require() gives', async () => {
  const source = `
    const { createLocks, createMemoryProvider } = require('@locks/core');
    const locks = createLocks(createMemoryProvider());
    locks.withLock('key', (lease) => console.log(typeof lease.token)).then(() => locks.close());
  `;
  expect(await runCommonJs('lock', source)).toEqual({ exitCode: 0, output: 'bigint\n' });
});

/** All that can be imported, but for what needs a package of the user's. */
const specifiers = published.flatMap((workspace) => {
  const { name, exports = {} } = readManifest(workspace);
  const paths = Object.keys(exports).filter((path) => !/[*]|(?:json|register|vitest)$/.test(path));
  return paths.map((path) => name + path.slice(1));
});

test.each(specifiers)('require(%j) works without a warning', async (specifier) => {
  const source = `console.log(Object.keys(require(${JSON.stringify(specifier)})).length > 0);`;
  expect(await runCommonJs(specifier.replaceAll('/', '-'), source)).toEqual({ exitCode: 0, output: 'true\n' });
});
