import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTo } from '../support/addresses.ts';
import { published } from '../support/pack.ts';
import { createPackedApp } from '../support/packed-app.ts';
import type { Compiler, PackedApp } from '../support/packed-app.ts';
import { readPrograms } from '../support/programs.ts';
import { readManifest, root } from '../support/repository.ts';
import { startServers } from '../support/servers.ts';
import type { Servers } from '../support/servers.ts';

let app: PackedApp;
let servers: Servers | undefined;

beforeAll(async () => {
  app = createPackedApp();
  servers = await startServers();
});

afterAll(async () => {
  await servers?.stop();
  app.remove();
});

/** As an ES module, and as CommonJS: imports become `require`, and no `await` is at the top. */
// The page that a newcomer pastes from.
const started = 'docs/getting-started.md';
const modules = ['mts', 'cts'] as const;
const compilers: readonly Compiler[] = ['typescript-5.9', 'typescript'];
const variants = compilers.flatMap((compiler) => modules.map((extension) => ({ compiler, extension })));

/** The source of a module with that extension. */
function moduleOf(source: string, extension: (typeof modules)[number]): string {
  if (extension === 'mts') return source;
  const lines = source.split('\n');
  const isImport = (line: string): boolean => line.startsWith('import ');
  const [imports, rest] = [lines.filter(isImport), lines.filter((line) => !isImport(line))];
  return [...imports, 'async function main(): Promise<void> {', ...rest, '}', 'void main();', ''].join('\n');
}

/** Compiles the modules and runs them. Gives what they print, in this order. */
async function outputsOf(sources: readonly string[], { compiler, extension }: (typeof variants)[number]) {
  const names = sources.map((_, index) => `${compiler}/${extension}/program-${index}.${extension}`);
  for (const [index, source] of sources.entries()) app.write(names[index] ?? '', moduleOf(source, extension));
  expect(await app.compile(compiler, names)).toBe('');
  return await Promise.all(
    names.map(async (name) => {
      const { exitCode, output } = await app.run(name.replace(/ts$/, 'js'));
      expect(exitCode, output).toBe(0);
      return output;
    }),
  );
}

test.each(published)('%s has its licence, its README and no sources', (folder) => {
  const target = join(app.folder, 'node_modules', readManifest(folder).name);
  expect(readFileSync(join(target, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
  expect(existsSync(join(target, 'README.md'))).toBe(true);
  expect(existsSync(join(target, 'src'))).toBe(false);
});

test('the first example of the guide runs as it is pasted', async () => {
  const [first] = readPrograms({ path: started, text: readFileSync(join(root, started), 'utf8') });
  app.write('lock.mjs', first?.source ?? '');
  const { exitCode, output } = await app.run('lock.mjs');
  expect(exitCode, output).toBe(0);
  expect(output).toMatch(/^sends the invoice with fencing token \d+$/m);
});

const adapters = published
  .map((folder) => readManifest(folder))
  .flatMap(({ name, exports = {} }) => ('./register' in exports ? [name] : []));

/** Two leases, as the first one once showed the second. */
const printsLease = `
import { createLocks, createMemoryProvider } from '@locks/core';
import type { Lease } from '@locks/core';
import { pino } from 'pino';
${adapters.map((name, index) => `import * as adapter${index} from '${name}';`).join('\n')}
const locks = createLocks(createMemoryProvider());
const lease: Lease = await locks.acquire('printed', { wait: 1_000 });
const other: Lease = await locks.acquire('other');
console.log(JSON.stringify(lease));
pino().info({ lease }, 'held');
console.log(lease);
await other.release();
await lease.release();
const done: string = await locks.withLock('key', () => 'done');
await locks.close();
const token: bigint = lease.token;
console.log(typeof token, done, ${adapters.map((_, index) => `typeof adapter${index}`).join(', ')});
`;

const shown = { key: 'printed', owner: expect.any(String), mode: 'exclusive', token: expect.stringMatching(/^\d+$/) };

describe.each(variants)('$compiler, .$extension', (variant) => {
  test('the types compile, and a lease is a value that can be printed, logged and stringified', async () => {
    const [output = ''] = await outputsOf([printsLease], variant);
    const lines = output.trimEnd().split('\n');
    // pino writes to the descriptor, and may be late.
    const logged = lines.find((line) => line.startsWith('{"level":')) ?? '';
    const [json = '', ...printed] = lines.filter((line) => line !== logged);
    const lease = { ...shown, held: true, remaining: expect.any(Number) };
    expect(JSON.parse(json)).toEqual(lease);
    expect(JSON.parse(logged)).toMatchObject({ level: 30, msg: 'held', lease });
    expect(Object.keys((JSON.parse(logged) as { lease: object }).lease)).toEqual(Object.keys(lease));
    const { owner, token } = JSON.parse(json) as { readonly owner: string; readonly token: string };
    const text = `Lease { key: 'printed', owner: '${owner}', mode: 'exclusive', token: '${token}', held: true, remaining: `;
    expect(
      printed
        .slice(0, -1)
        .join(' ')
        .replaceAll(/\s+/g, ' ')
        .replace(/[\d.]+ \}$/, ''),
    ).toBe(text);
    expect(printed.at(-1)).toBe(`bigint done${' object'.repeat(adapters.length)}`);
  });

  test('the examples of the guide compile and run as they stand', async () => {
    const page = { path: started, text: readFileSync(join(root, started), 'utf8') };
    const programs = readPrograms(page);
    expect(programs.map(({ notRun }) => notRun)).toEqual(programs.map(() => undefined));
    const sources: string[] = [];
    for (const [index, program] of programs.entries()) {
      // Each has servers of its own, as the databases are made for it.
      const number = 100 * (1 + variants.indexOf(variant)) + index;
      const { source } = connectTo(program, addresses(number));
      await servers?.prepare(number, source);
      sources.push(source);
    }
    await outputsOf(sources, variant);
  });
});

function addresses(program: number): ReturnType<Servers['addresses']> {
  if (servers === undefined) throw new Error('The servers did not start.');
  return servers.addresses(program);
}

const body = `
  const locks = await openLocks();
  const lease = await locks.acquire('configured');
  console.log(lease.held, lease.remaining > 30_000);
  await lease.release();
  await locks.close();
`;
const opens = {
  'opens.mjs': `import { openLocks } from '@locks/core';\n${body}`,
  'opens.cjs': `const { openLocks } = require('@locks/core');\nvoid (async () => {${body}})();`,
};

describe.each(Object.entries(opens))('openLocks() in %s', (name, source) => {
  beforeAll(() => void app.write(name, source));

  test('reads the file that LOCKS_CONFIG names', async () => {
    const cwd = join(app.folder, `configured-${name}`);
    mkdirSync(cwd);
    const config = { url: addresses(1).redis(0), ttl: '60s', options: { prefix: 'packed:' } };
    writeFileSync(join(cwd, 'locks.json'), JSON.stringify(config));
    expect(await app.run(name, { cwd, env: { LOCKS_CONFIG: 'locks.json' } })).toEqual({
      exitCode: 0,
      output: 'true true\n',
    });
  });

  test.each(['memory', 'redis', 'postgres', 'sqlite', 'zookeeper'] as const)('reads LOCKS_URL: %s', async (backend) => {
    const index = name.endsWith('cjs') ? 2 : 3;
    const { redis, postgres, zookeeper } = addresses(index);
    const urls = {
      memory: 'memory:?ttl=60s',
      redis: `${redis(0)}?ttl=60s`,
      postgres: `${postgres}?ttl=60s&migrate=true`,
      sqlite: `sqlite:./${name}.db?ttl=60s&migrate=true`,
      zookeeper: `zookeeper://${zookeeper}?sessionTimeout=40s&acl=open`,
    };
    const url = urls[backend];
    await servers?.prepare(index, url.split('?')[0] ?? url);
    expect(await app.run(name, { env: { LOCKS_URL: url } })).toEqual({ exitCode: 0, output: 'true true\n' });
  });
});
