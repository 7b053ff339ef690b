import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../results.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const peersFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Packages that are installed together. */
const own = [['core'], ['core', 'redis']];
const peers = [
  '@verrou/core',
  'redis-semaphore',
  'redlock',
  '@sesamecare-oss/redlock',
  'redlock-universal',
  'async-mutex',
];

/**
 * What an installation adds to the disk: own packages as published, peers with their dependencies.
 * No client.
 */
export function measureInstalledSize(): Result[] {
  return [...own.map((names) => sizeOfOwn(names)), ...peers.map((name) => sizeOfPeer(name))];
}

interface Packed {
  readonly name: string;
  readonly size: number;
  readonly unpackedSize: number;
}

function sizeOfOwn(names: readonly string[]): Result {
  const packed = names.map((name) => pack(join(root, 'packages', name)));
  return {
    scenario: 'core/size',
    subject: packed.map(({ name }) => name).join(' + '),
    packedBytes: packed.reduce((sum, { size }) => sum + size, 0),
    installedBytes: packed.reduce((sum, { unpackedSize }) => sum + unpackedSize, 0),
    packages: packed.length,
  };
}

function pack(folder: string): Packed {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(output) as [Packed];
  return packed;
}

function sizeOfPeer(name: string): Result {
  const folders = new Set<string>();
  collect(name, peersFolder, folders);
  let installedBytes = 0;
  for (const folder of folders) installedBytes += sizeOfFolder(folder);
  return { scenario: 'core/size', subject: name, installedBytes, packages: folders.size };
}

/** Adds the folder of `name`, as `from` would import it, and those of its dependencies. */
function collect(name: string, from: string, folders: Set<string>): void {
  const folder = find(name, from);
  if (folders.has(folder)) return;
  folders.add(folder);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const dependency of Object.keys(dependencies)) collect(dependency, folder, folders);
}

function find(name: string, from: string): string {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return folder;
  if (dirname(from) === from) throw new Error(`${name} is not installed`);
  return find(name, dirname(from));
}

function sizeOfFolder(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) bytes += statSync(path).size;
    else if (entry.isDirectory() && entry.name !== 'node_modules') bytes += sizeOfFolder(path);
  }
  return bytes;
}
