import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** What a test runner printed, and how it ended. */
interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

function run(...parameters: readonly string[]): Promise<Outcome> {
  // The runner that runs this test marks its children as such.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_TEST|NODE_OPTIONS)/.test(name)),
  );
  const child = spawn(process.execPath, parameters, { cwd: fixtures, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

interface VitestReport {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

test('vitest gets one test per requirement: passed, failed, or skipped with its reason', async () => {
  const { code, output } = await run(vitest, 'run', '--reporter=json');
  expect(code).toBe(1);
  const report = JSON.parse(output.slice(output.indexOf('{"num'), output.lastIndexOf('}') + 1)) as VitestReport;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const status = (suite: string, id: string): string | undefined =>
    tests.find(({ fullName }) => fullName.startsWith(`${suite} conformance ${id}`))?.status;
  expect(status('good', 'release-frees')).toBe('passed');
  expect(status('good', 'release-only-own')).toBe('passed');
  // Does not apply.
  expect(status('good', 'validity-reported')).toBeUndefined();
  expect(status('flawed', 'release-frees')).toBe('failed');
  expect(status('flawed', 'release-only-own')).toBe('failed');
  expect(status('flawed', 'processes-wake')).toBe('skipped');
  expect(status('flawed', 'declares no less than it does')).toBe('passed');
  const failures = tests.flatMap(({ failureMessages }) => failureMessages);
  expect(failures).toHaveLength(2);
  for (const failure of failures) expect(failure).toMatch(/expected release to return false.* \(seed 42\)/);
});

test('node:test gets one test per requirement: passed, failed, or skipped with its reason', async () => {
  const { code, output } = await run('--test', '--test-reporter=tap', 'registered.node-test.js');
  expect(code).toBe(1);
  expect(output).toMatch(/ok \d+ - release-frees: .*\n/);
  expect(output).toMatch(/not ok \d+ - release-frees: .*\n/);
  expect(output).toMatch(/ok \d+ - validity-reported: .* # SKIP not-applicable: the traits do not ask for it/);
  expect(output).toMatch(/ok \d+ - processes-wake: .* # SKIP unverified: needs processes/);
  const stacks = output.match(/expected release to return false.* \(seed 42\)\n/g);
  expect(stacks?.length).toBeGreaterThanOrEqual(2);
  expect(output).toContain("# flawed: it declares fencing: 'none', but 10 grants had strictly increasing tokens");
  expect(output).toMatch(/# pass 4\n# fail 2\n(.*\n)?# skipped 4/);
});
