import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExampleCopies } from '../../support/example-copies.ts';
import type { ExampleCopies, ExampleCopy } from '../../support/example-copies.ts';
import { checkRounds, startReplicas, watchJobs } from '../rounds.ts';

let examples: ExampleCopies;
let example: ExampleCopy;

/** Runs npm in the folder of the example. */
function npm(...args: readonly string[]): string {
  const env = { ...process.env, NODE_OPTIONS: '', LOCKS_URL: '' };
  return execFileSync('npm', args, { cwd: example.folder, env, encoding: 'utf8', stdio: 'pipe' });
}

beforeAll(() => {
  examples = createExampleCopies();
  example = examples.bare('nestjs');
  const ours = ['core', 'nestjs', 'sql'].map((name) => examples.tarballs.get(`@locks/${name}`) ?? name);
  // A dependency of Nest asks for a newer Node than the part of it that is used.
  npm('install', '--ignore-scripts', '--no-engine-strict', '--no-audit', '--no-fund', '--loglevel=error', ...ours);
  npm('run', 'build');
});

afterAll(() => examples.remove());

test('nestjs: its tests pass', () => {
  expect(() => npm('test')).not.toThrow();
});

test('nestjs: an invoice is sent once at a time, and SIGTERM waits for the request', async () => {
  const replicas = [example.start(['dist/main.js'], { PORT: '0' }), example.start(['dist/main.js'], { PORT: '0' })];
  const urls = await Promise.all(replicas.map(async (replica) => (await replica.said(/^listens on (\S+)$/))[1]));
  const answers = urls.map(async (url) => {
    const response = await fetch(`${url}/invoices/7/send`, { method: 'POST', signal: AbortSignal.timeout(20_000) });
    return await response.text();
  });
  const said = replicas.map(async (replica) => {
    await replica.said(/^begins 7$/);
    return replica;
  });
  const working = await Promise.race(said);
  // Nest ends the process with the same signal, after its hooks.
  expect(await working.end('SIGTERM')).toBeNull();
  const [first, second] = await Promise.all(answers);
  expect(first).toMatch(/^sent with token \d+$/m);
  expect(second).toMatch(/^sent with token \d+$/m);
  expect(first).not.toBe(second);
  await Promise.all(said);
});

test('nestjs: each report is sent once in three processes', { timeout: 120_000 }, async ({ onTestFinished }) => {
  const url = `sqlite:${join(example.folder, 'reports.db')}?migrate=true`;
  const replicas = await startReplicas(example, 'dist/main.js', { PORT: '0', LOCKS_URL: url });
  await checkRounds(replicas, await watchJobs(url, onTestFinished), 'failed');
  // Nest ends the process with the same signal, after its hooks.
  expect(await replicas.end()).toEqual([null, null]);
});
