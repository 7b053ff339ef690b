import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('fixtures/strays.js', import.meta.url));
let outcome: { readonly status: number | null; readonly stdout: string; readonly stderr: string };

// In a process of its own: the test runner fails for unhandled errors, and rightly so.
beforeAll(() => {
  outcome = spawnSync(process.execPath, [script], { encoding: 'utf8' });
});

test('a rejection that floats fails the requirement during which it happened, and is shown', () => {
  expect(outcome.stdout).toMatch(
    /floats release-frees failed .*unhandled: the rejection Error: no listener for this rejection/,
  );
  expect(outcome.stdout).toMatch(/floats close-unused passed/);
});

test('an exception in the event loop does too', () => {
  expect(outcome.stdout).toMatch(
    /flings release-frees failed .*unhandled: the exception Error: no listener for this exception/,
  );
});

test('a run beside them is not blamed', () => {
  for (const id of ['exclusion-while-held', 'release-frees', 'token-increases'])
    expect(outcome.stdout).toContain(`sound ${id} passed`);
});

test('after the checks the process is as it was: an unhandled error ends it', () => {
  expect(outcome.stdout).toContain('listeners 0 0');
  expect(outcome.stderr).toContain('after the checks');
  expect(outcome.status).toBe(1);
});
