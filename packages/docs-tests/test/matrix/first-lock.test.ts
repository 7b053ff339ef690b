import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectTo } from '../support/addresses.ts';
import { readMarkdown } from '../support/fences.ts';
import { pack, published } from '../support/pack.ts';
import { readPrograms } from '../support/programs.ts';
import type { Program } from '../support/programs.ts';
import { root } from '../support/repository.ts';
import { startServers } from '../support/servers.ts';
import type { Servers } from '../support/servers.ts';

/** From an empty folder to the first lock, with the installation, in ms. */
const limit = 180_000;

const stores = ['memory', 'sqlite', 'redis', 'postgres', 'mysql', 'zookeeper', 'etcd'] as const;
type Store = (typeof stores)[number];

/** What a new user pastes: an installation, and a program. */
interface Pasted {
  readonly install: string;
  readonly program: Program;
}

const folder = mkdtempSync(join(tmpdir(), 'locks-first-'));
let tarballs: ReadonlyMap<string, string> = new Map();
let servers: Servers | undefined;
const times: { readonly store: Store; readonly node: string; readonly seconds: string }[] = [];

beforeAll(async () => {
  tarballs = pack(published, join(folder, 'packed'));
  servers = await startServers();
});

afterAll(async () => {
  await servers?.stop();
  rmSync(folder, { recursive: true, force: true });
  console.table(times);
});

function page(path: string): { readonly path: string; readonly text: string } {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** What the page says for a store. That for one process stands on its page. */
function pastedFor(store: Store): Pasted {
  if (store === 'memory') {
    const [program] = readPrograms(page('docs/backends/memory.md'));
    return { install: 'npm install @locks/core', program: program as Program };
  }
  const started = page('docs/getting-started.md');
  const program = readPrograms(started).find(({ source }) => source.includes(`openLocks('${store}:`)) as Program;
  const installs = readMarkdown(started.text).fences.filter(({ text }) => text.startsWith('npm install '));
  // It stands before the program, but for the first example.
  const fence = store === 'sqlite' ? installs[0] : installs.findLast(({ line }) => line < program.line);
  const [install = ''] = fence?.text.split('\n') ?? [];
  return { install, program };
}

/** Our packages as they would come from the registry. */
function withTarballs(install: string): string {
  return install.replaceAll(/@locks\/[a-z]+/g, (name) => tarballs.get(name) ?? name);
}

/** Node by its major version: this one, or one of the registry. */
function programsOf(major: string): string {
  if (process.versions.node.startsWith(`${major}.`)) return '';
  const target = join(folder, `node-${major}`);
  const name = `node-${process.platform}-${process.arch}`;
  execFileSync('npm', ['install', '--prefix', target, '--no-audit', '--no-fund', `${name}@${major}`], {
    stdio: 'pipe',
  });
  return join(target, 'node_modules', name, 'bin') + delimiter;
}

describe.each(['20', '26'])('on Node %s', (major) => {
  let path = '';
  beforeAll(() => {
    path = programsOf(major) + (process.env['PATH'] ?? '');
  });

  test.each(stores)('from an empty folder to the first lock: %s', { timeout: 2 * limit }, async (store) => {
    const { install, program } = pastedFor(store);
    const number = 1_000 + 10 * stores.indexOf(store) + Number(major);
    const { source } = connectTo(program, (servers as Servers).addresses(number));
    await servers?.prepare(number, source);
    const app = mkdtempSync(join(folder, `${store}-`));
    const run = (command: string): string =>
      execFileSync('sh', ['-c', command], {
        cwd: app,
        env: { ...process.env, PATH: path, LOCKS_URL: '', LOCKS_CONFIG: '', NODE_OPTIONS: '' },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: limit,
      });
    const version = run('node --version').trim();
    expect(version.slice(1).split('.')[0]).toBe(major);
    const begun = performance.now();
    run('npm init -y');
    run(`${withTarballs(install)} --no-audit --no-fund`);
    // As the page says: in a folder of `npm init` other files are CommonJS.
    writeFileSync(join(app, 'lock.mjs'), source);
    run('node lock.mjs');
    const took = performance.now() - begun;
    times.push({ store, node: version, seconds: (took / 1_000).toFixed(1) });
    expect(took).toBeLessThan(limit);
  });
});
