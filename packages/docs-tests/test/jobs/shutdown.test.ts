import { fileURLToPath } from 'node:url';
import { createLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { start } from '../support/running.ts';
import { startStore } from '../support/stores.ts';

const program = fileURLToPath(new URL('../support/job-until-told.mjs', import.meta.url));

interface Case {
  readonly how: 'obeys' | 'ignores';
  readonly drain: string;
  readonly state: string;
  /** How often it was tried after one more call, which retries. */
  readonly tries: number;
}

const cases: readonly Case[] = [
  { how: 'obeys', drain: '0s', state: 'stopped', tries: 1 },
  { how: 'ignores', drain: '100ms', state: 'crashed', tries: 2 },
];

// Work with time to drain, and work that is killed, are in the tests of the command.
test.each(cases)('what a pod leaves of work that $how, with $drain to drain: $state', async (each) => {
  const { how, drain, state, tries } = each;
  const store = await startStore('sqlite');
  onTestFinished(() => store.stop());
  const other = createLocks(await store.open(), { closeProvider: true });
  onTestFinished(() => other.close());
  const slot = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  const run = start([program, `${store.url}?migrate=true`, slot.toISOString(), drain, how], { cwd: '.', env: {} });
  onTestFinished(async () => void (await run.end('SIGKILL')));
  await run.said(/^at work$/);
  expect(await other.once('report', slot, () => 0)).toMatchObject({ state: 'running', job: { by: 'pod' } });
  await run.end('SIGTERM');
  await expect.poll(async () => (await other.job('report'))?.state, { timeout: 10_000 }).toBe(state);
  expect(await other.once('report', slot, () => 0)).toMatchObject({ state: 'failed', job: { state } });
  const again = await other.once('report', slot, { onFailure: 'retry' }, () => 0);
  expect([again.state, again.job?.tries]).toEqual(['ran', tries]);
});
