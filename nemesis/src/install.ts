import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Change, spoil } from './flawed/spoil.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const programs = fileURLToPath(new URL('.', import.meta.url));

/** What an application has besides core and the suite. */
export interface Modules {
  /** Packages of adapters, without the scope. */
  readonly adapters: readonly string[];
  readonly clients: readonly string[];
  /** Changes of one package. @default that of composites */
  readonly flaw?: { readonly package?: string; readonly changes: readonly Change[] } | undefined;
}

/**
 * Creates an application in `folder`: core, composites, the suite (for its child processes) and
 * adapters, packed as published and unpacked there, the clients, and the programs of the workers.
 * The clients are links to those of the repository, so that no registry is needed.
 */
export function installPacked(folder: string, { adapters, clients, flaw }: Modules): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    '{ "name": "stressed-application", "private": true, "type": "module" }\n',
  );
  for (const name of ['core', 'composites', 'conformance', ...adapters]) {
    unpack(pack(name, folder), join(modules, '@locks', name));
  }
  if (flaw !== undefined) spoil(join(modules, '@locks', flaw.package ?? 'composites'), flaw);
  for (const client of clients) {
    mkdirSync(dirname(join(modules, client)), { recursive: true });
    symlinkSync(findClient(client, adapters), join(modules, client), 'dir');
  }
  cpSync(programs, join(folder, 'programs'), { recursive: true });
}

/** The path of the tarball. */
function pack(name: string, destination: string): string {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', destination];
  const output = execFileSync('npm', args, {
    cwd: join(root, 'packages', name),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(output) as [{ readonly filename: string }];
  return join(destination, packed.filename.replace('@', '').replace('/', '-'));
}

function unpack(tarball: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
}

/** The folder of the client that one of the adapters uses. */
function findClient(name: string, adapters: readonly string[]): string {
  for (const adapter of [...adapters, 'redis']) {
    const found = findAbove(name, join(root, 'packages', adapter));
    if (found !== undefined) return found;
  }
  throw new Error(`The client ${name} is not installed. Run: npm ci`);
}

function findAbove(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return realpathSync(folder);
  return dirname(from) === from ? undefined : findAbove(name, dirname(from));
}
