import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runNode } from '../support/examples.ts';
import { readManifest, root, workspaceFolders } from '../support/repository.ts';

const published = workspaceFolders().filter((folder) => readManifest(folder).private !== true);
const app = mkdtempSync(join(tmpdir(), 'locks-packed-'));
const modules = join(app, 'node_modules');

beforeAll(() => {
  writeFileSync(join(app, 'package.json'), '{ "name": "application", "private": true }');
  for (const folder of published) install(folder);
  for (const client of ['ioredis', 'knex', '@types/node', 'undici-types']) link(client);
});

afterAll(() => rmSync(app, { recursive: true, force: true }));

/** Packs a workspace as `npm publish` would, and unpacks it where `npm install` would. */
function install(folder: string): void {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', app];
  const output = execFileSync('npm', args, { cwd: join(root, folder), stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ filename }] = JSON.parse(output.toString()) as [{ readonly filename: string }];
  const target = join(modules, readManifest(folder).name);
  mkdirSync(target, { recursive: true });
  const tarball = join(app, filename.replace('@', '').replace('/', '-'));
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', target]);
}

function link(name: string): void {
  const target = join(modules, name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), target, 'dir');
}

function write(name: string, source: string): string {
  const path = join(app, name);
  writeFileSync(path, source);
  return path;
}

test('every package that is published was packed', () => {
  expect(published.map((folder) => readManifest(folder).name)).toEqual([
    '@locks/conformance',
    '@locks/core',
    '@locks/redis',
    '@locks/sql',
    '@locks/zookeeper',
  ]);
});

test.each(published)('%s has its licence, its README and no sources', (folder) => {
  const target = join(modules, readManifest(folder).name);
  expect(readFileSync(join(target, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
  expect(existsSync(join(target, 'README.md'))).toBe(true);
  expect(existsSync(join(target, 'src'))).toBe(false);
});

const body = `
async function main(): Promise<void> {
  const provider = createMemoryProvider();
  const locks = createLocks(provider);
  const lease = await locks.acquire('key', { wait: 1_000 });
  const token: bigint = lease.token;
  await lease.release();
  const done: string = await locks.withLock('key', () => 'done');
  await locks.close();
  console.log(typeof token, done, typeof createRedisProvider, typeof createSqlProvider, typeof createZookeeperProvider);
}
void main();
`;

const names: Readonly<Record<string, string>> = {
  '@locks/core': 'createLocks, createMemoryProvider',
  '@locks/redis': 'createRedisProvider',
  '@locks/sql': 'createSqlProvider',
  '@locks/zookeeper': 'createZookeeperProvider',
};
const imports = Object.entries(names).map(([module, list]) => `import { ${list} } from '${module}';`);
const requires = Object.entries(names).map(([module, list]) => `const { ${list} } = require('${module}');`);

describe.each([
  ['5.9', 'typescript-5.9'],
  ['7', 'typescript'],
])('with TypeScript %s', (_version, compiler) => {
  test.each(['mts', 'cts'])('a module in .%s compiles against the packed types, and runs', async (extension) => {
    const name = `${compiler.replace('.', '-')}.${extension}`;
    const path = write(name, `${imports.join('\n')}\n${body}`);
    const typescript = dirname(createRequire(import.meta.url).resolve(`${compiler}/package.json`));
    const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--types', 'node'];
    const args = [join(typescript, 'bin/tsc'), ...options, '--lib', 'es2023,esnext.disposable', path];
    expect(await runNode(args, { limit: 60_000, cwd: app })).toEqual({ exitCode: 0, output: '' });
    const compiled = path.replace(/ts$/, 'js');
    expect(await runNode([compiled], { limit: 20_000, cwd: app })).toEqual({
      exitCode: 0,
      output: 'bigint done function function function\n',
    });
  });
});

test('require() gives the same', async () => {
  const path = write(
    'plain.cjs',
    `${requires.join('\n')}\nconsole.log(typeof createLocks, typeof createRedisProvider);`,
  );
  expect(await runNode([path], { limit: 20_000, cwd: app })).toEqual({ exitCode: 0, output: 'function function\n' });
});
