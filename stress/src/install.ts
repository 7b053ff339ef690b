import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const programs = fileURLToPath(new URL('.', import.meta.url));

/**
 * Makes an application of `folder`: core, the suite (for its child processes) and `adapter`, packed
 * as they would be published and unpacked there, the clients, and the programs of the workers. The
 * clients are links to those of the repository, so that no registry is needed.
 */
export function installPacked(folder: string, adapter: string | undefined, clients: readonly string[]): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    '{ "name": "stressed-application", "private": true, "type": "module" }\n',
  );
  for (const name of ['core', 'conformance', ...(adapter === undefined ? [] : [adapter])]) {
    unpack(pack(name, folder), join(modules, '@locks', name));
  }
  for (const client of clients) {
    symlinkSync(findClient(client, join(root, 'packages', adapter ?? 'redis')), join(modules, client), 'dir');
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

function findClient(name: string, from: string): string {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return realpathSync(folder);
  if (dirname(from) === from) throw new Error(`The client ${name} is not installed. Run: npm ci`);
  return findClient(name, dirname(from));
}
