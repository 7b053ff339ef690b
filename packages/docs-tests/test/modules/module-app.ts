import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pack, published } from '../support/pack.ts';

/** What the applications of most tests have beside our packages, from the registry. */
const usual = [
  ...['ioredis@6.0.0', 'knex@3.3.0', 'pg@8.23.1'],
  ...['@types/node@20.19.43', 'typescript@5.9.3', 'typescript-7@npm:typescript@7.0.2', 'ts-node@10.9.2'],
  ...['jest@30.5.2', 'ts-jest@29.4.15', '@types/jest@30.0.0', 'sinon@22.1.0'],
  ...['esbuild@0.28.2', 'webpack@5.113.0', 'rollup@4.68.8'],
  ...['@rollup/plugin-commonjs@29.0.3', '@rollup/plugin-json@6.1.0', '@rollup/plugin-node-resolve@16.0.3'],
  ...['bun@1.4.5', 'deno@2.9.6'],
];

/** An application in an empty folder, with our packages as they are published. */
export interface ModuleApp {
  readonly folder: string;
  /** Compiles the modules `names` with TypeScript 5.9. */
  compile(names: readonly string[], flags: readonly string[]): void;
  /** Runs a program with Node, in the folder of the application. */
  node(args: readonly string[], options?: { readonly cwd?: string }): string;
  /** Runs a program. */
  run(command: string, args: readonly string[], options?: { readonly cwd?: string }): string;
  remove(): void;
}

/**
 * Packs our packages as `npm publish` does, and installs them. No script of an installed package
 * runs. `url` is the address that programs get, and `others` are packages from the registry.
 * With `ours` only those of our packages are installed, and npm checks the ranges of peers.
 */
export function createModuleApp(url: string, others: readonly string[] = usual, ours?: readonly string[]): ModuleApp {
  const folder = mkdtempSync(join(tmpdir(), 'locks-modules-'));
  writeFileSync(join(folder, 'package.json'), '{ "name": "application", "private": true }');
  const packed = pack(published, join(folder, 'packed'));
  const local = ours?.map((name) => packed.get(name) ?? name) ?? [...packed.values()];
  // Tools may ask for a newer Node than the parts of them that are used.
  const flags = ['--no-audit', '--no-fund', '--no-engine-strict', ...(ours ? [] : ['--legacy-peer-deps'])];
  execFileSync('npm', ['install', ...flags, '--ignore-scripts', '--loglevel=error', ...local, ...others], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cpSync(fileURLToPath(new URL('programs/', import.meta.url)), folder, { recursive: true });
  const run: ModuleApp['run'] = (command, args, { cwd = folder } = {}) => {
    const env = { ...process.env, LOCKS_URL: '', LOCKS_CONFIG: '', STORE: url, NODE_OPTIONS: '' };
    try {
      return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: 'pipe', timeout: 100_000 });
    } catch (error) {
      const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string };
      throw new Error([message, stdout, stderr].join('\n'), { cause: error });
    }
  };
  return {
    folder,
    run,
    compile(names, own) {
      const options = ['--module', 'nodenext', '--target', 'es2023', '--skipLibCheck', '--types', 'node', ...own];
      const args = [...options, '--lib', 'es2023,esnext.disposable', ...names];
      run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), ...args]);
    },
    node: (args, options) => run(process.execPath, args, options),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
