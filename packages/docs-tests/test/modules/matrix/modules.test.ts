import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@locks/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModuleApp } from '../module-app.ts';
import type { ModuleApp } from '../module-app.ts';

let app: ModuleApp;
let stop: () => Promise<void>;

beforeAll(async () => {
  const redis = await startRedis();
  stop = () => redis.stop();
  app = createModuleApp(redis.url);
});

afterAll(async () => {
  app.remove();
  await stop();
});

const oneCopy = 'bigint\ntrue true\n';

describe.each(['required.cjs', 'imported.mjs'])('a program on Redis, with one copy of each package: %s', (program) => {
  test('Node', () => {
    expect(app.node([program])).toBe(oneCopy);
  });

  test('Bun', () => {
    expect(app.run(binary('@oven', 'bin/bun'), [program])).toBe(oneCopy);
  });

  test('Deno', () => {
    const args = ['run', '--allow-all', '--node-modules-dir=manual', program];
    expect(app.run(binary('@deno', 'deno'), args)).toBe(oneCopy);
  });
});

/** The packages are named for platforms, and npm installs the one that fits. */
function binary(scope: string, file: string): string {
  const [platform = ''] = readdirSync(join(app.folder, 'node_modules', scope));
  return join(app.folder, 'node_modules', scope, platform, file);
}

test('Jest as it is by default, with ts-jest and the settings of a Nest project', () => {
  const jest = join(app.folder, 'node_modules/jest/bin/jest.js');
  app.node([jest, '--rootDir', join(app.folder, 'nest')], { cwd: join(app.folder, 'nest') });
});

test('fake timers of node:test, and of sinon', () => {
  expect(app.node(['--test', 'fake-timers.test.mjs'])).toMatch(/^# pass 3$/m);
  expect(app.node(['sinon.mjs'])).toBe('passed\n');
});

test('ts-node', () => {
  const folder = join(app.folder, 'ts-node');
  cpSync(join(app.folder, 'typed.ts'), join(folder, 'typed.ts'));
  const tsNode = join(app.folder, 'node_modules/ts-node/dist/bin.js');
  expect(app.node([tsNode, 'typed.ts'], { cwd: folder })).toBe('true true\n');
});

test.each([
  ['typescript', 'node16', 'node16'],
  ['typescript', 'node18', 'node16'],
  ['typescript', 'nodenext', 'nodenext'],
  ['typescript', 'commonjs', 'node10'],
  ['typescript', 'esnext', 'bundler'],
  ['typescript-7', 'node16', 'node16'],
  ['typescript-7', 'node18', 'node16'],
  ['typescript-7', 'nodenext', 'nodenext'],
  ['typescript-7', 'commonjs', 'bundler'],
  ['typescript-7', 'esnext', 'bundler'],
])('.cts and .mts: %s, module %s, moduleResolution %s', (compiler, module, moduleResolution) => {
  const folder = join(app.folder, 'typed');
  mkdirSync(folder, { recursive: true });
  const files = ['cts', 'mts'].map((extension) => join(folder, `typed.${extension}`));
  for (const file of files) cpSync(join(app.folder, 'typed.ts'), file);
  const options = ['--module', module, '--moduleResolution', moduleResolution, '--target', 'es2022'];
  const checks = ['--noEmit', '--strict', '--types', 'node', '--lib', 'es2023,esnext.disposable'];
  const tsc = join(app.folder, 'node_modules', compiler, 'bin/tsc');
  expect(app.node([tsc, ...options, ...checks, ...files])).toBe('');
});

describe('a bundle', () => {
  const require = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  const esbuild = (format: 'cjs' | 'esm', file: string, ...flags: readonly string[]): string => {
    const common = ['--bundle', '--platform=node', '--log-level=warning'];
    const program = join(app.folder, 'node_modules/esbuild/bin/esbuild');
    return app.node([program, 'bundled.mjs', ...common, `--format=${format}`, `--outfile=bundles/${file}`, ...flags]);
  };
  // It writes both bundles.
  let rolled: string | undefined;
  const rollup = (): string =>
    (rolled ??= app.node([join(app.folder, 'node_modules/rollup/dist/bin/rollup'), '-c', '--silent']));

  test.each([
    ['esbuild.cjs', () => esbuild('cjs', 'esbuild.cjs')],
    ['esbuild.mjs', () => esbuild('esm', 'esbuild.mjs', `--banner:js=${require}`)],
    ['rollup.cjs', rollup],
    ['rollup.mjs', rollup],
    ['webpack.cjs', () => app.node(['webpack.cjs'])],
  ])('%s runs where no package is installed', (file, build) => {
    expect(build().trim()).toBe('');
    const folder = mkdtempSync(join(tmpdir(), 'locks-bundle-'));
    try {
      cpSync(join(app.folder, 'bundles', file), join(folder, file));
      const [held, combined, missing] = app.node([join(folder, file)], { cwd: folder }).split('\n');
      expect(held).toBe('bigint');
      expect(combined).toMatch(/^LOCK_UNAVAILABLE /);
      expect(missing).toMatch(
        /^LOCK_MISCONFIGURED openLocks: provider "sql" .* bundled\. Import "@locks\/sql\/register" .* provider: <module>, url \}\.$/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
