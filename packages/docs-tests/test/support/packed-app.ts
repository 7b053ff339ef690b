import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runNode } from './examples.ts';
import type { Outcome } from './examples.ts';
import { pack, published, unpack } from './pack.ts';
import { root } from './repository.ts';

/** What ours depend on, clients and a logger that an application has beside them, and types. */
const neighbours = [
  ...['@grpc/grpc-js', '@bufbuild/protobuf', '@opentelemetry/api'],
  ...['ioredis', 'knex', 'pg', 'mysql2', 'libsql', 'pino', '@types/node', 'undici-types'],
];

/** The compilers, by the name of their package here. */
export type Compiler = 'typescript' | 'typescript-5.9';

/** An application in an empty folder, with our packages as they are published. */
export interface PackedApp {
  readonly folder: string;
  /** Writes a file of the application, and gives its path. */
  write(name: string, source: string): string;
  /** Compiles the modules `names`, and gives what the compiler says: nothing when all is well. */
  compile(compiler: Compiler, names: readonly string[]): Promise<string>;
  /** Runs a program of it, in `cwd`. */
  run(
    name: string,
    options?: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Outcome>;
  remove(): void;
}

/** Packs our packages as `npm publish` does, and installs them, without a registry. */
export function createPackedApp(): PackedApp {
  const folder = mkdtempSync(join(tmpdir(), 'locks-packed-'));
  const write = (name: string, source: string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, source);
    return path;
  };
  write('package.json', '{ "name": "application", "private": true }');
  for (const [name, tarball] of pack(published, join(folder, 'packed'))) {
    unpack(tarball, join(folder, 'node_modules', name));
  }
  // What they need comes from this repository: a registry may be out of reach.
  for (const name of neighbours) {
    const target = join(folder, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), target, 'dir');
  }
  return {
    folder,
    write,
    async compile(compiler, names) {
      const typescript = dirname(createRequire(import.meta.url).resolve(`${compiler}/package.json`));
      const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--types', 'node'];
      const args = [join(typescript, 'bin/tsc'), ...options, '--lib', 'es2023,esnext.disposable', ...names];
      const { exitCode, output } = await runNode(args, { limit: 60_000, cwd: folder });
      return exitCode === 0 ? output : `${output}\ntsc ended with ${exitCode}`;
    },
    run(name, { cwd = folder, env = {} } = {}) {
      const all = { LOCKS_URL: '', LOCKS_CONFIG: '', ...env };
      return runNode([join(folder, name)], { limit: 30_000, cwd, env: all });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
