import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runNode } from './support/examples.ts';
import { root } from './support/repository.ts';

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

test.each([
  '@locks/core',
  '@locks/core/adapter',
  '@locks/redis',
  '@locks/sql',
  '@locks/composites',
  '@locks/zookeeper',
  '@locks/etcd',
  '@locks/conformance',
  '@locks/conformance/node-test',
  '@locks/conformance/faults',
  '@locks/conformance/processes',
])('require(%j) works without a warning', async (specifier) => {
  const source = `console.log(Object.keys(require(${JSON.stringify(specifier)})).length > 0);`;
  expect(await runCommonJs(specifier.replaceAll('/', '-'), source)).toEqual({ exitCode: 0, output: 'true\n' });
});
