import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { start } from '../support/running.ts';
import { startStore } from '../support/stores.ts';
import type { Store, StoreName } from '../support/stores.ts';

const program = fileURLToPath(new URL('../support/job-until-told.mjs', import.meta.url));

interface Case {
  readonly how: 'ends' | 'obeys' | 'ignores';
  readonly drain: string;
  /** In ms, from TERM to KILL. */
  readonly grace: number;
  readonly state: string;
  readonly keep: string;
  readonly retry: readonly [answer: string, tries: number];
}

const cases: readonly Case[] = [
  { how: 'ends', drain: '20s', grace: 20_000, state: 'done', keep: 'done', retry: ['done', 1] },
  { how: 'obeys', drain: '20s', grace: 20_000, state: 'stopped', keep: 'failed', retry: ['ran', 1] },
  { how: 'obeys', drain: '0s', grace: 20_000, state: 'stopped', keep: 'failed', retry: ['ran', 1] },
  { how: 'ignores', drain: '20s', grace: 500, state: 'crashed', keep: 'failed', retry: ['ran', 2] },
  { how: 'ignores', drain: '100ms', grace: 20_000, state: 'crashed', keep: 'failed', retry: ['ran', 2] },
];

describe.each(['redis', 'sqlite'] satisfies StoreName[])('what a pod leaves of its job at its end, on %s', (name) => {
  let store: Store;
  let other: Locks;

  beforeAll(async () => {
    store = await startStore(name);
    other = createLocks(await store.open(), { closeProvider: true });
  });

  afterAll(async () => {
    await other.close();
    await store.stop();
  });

  test.each(cases)('work that $how, with $drain to drain and $grace ms until KILL: $state', async (each) => {
    const { how, drain, grace, state, keep, retry } = each;
    const slot = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    const run = start([program, urlOf(store), slot.toISOString(), drain, how], { cwd: '.', env: {} });
    onTestFinished(async () => {
      await run.end('SIGKILL');
      await other.forgetJob('report');
    });
    await run.said(/^at work$/);
    expect(await other.once('report', slot, () => 0)).toMatchObject({ state: 'running', job: { by: 'pod' } });
    const ended = run.end('SIGTERM');
    const killed = new AbortController();
    void sleep(grace, undefined, { signal: killed.signal }).then(
      () => run.end('SIGKILL'),
      () => {},
    );
    await ended;
    killed.abort();
    await expect.poll(async () => (await other.job('report'))?.state, { timeout: 10_000 }).toBe(state);
    expect(await other.once('report', slot, () => 0)).toMatchObject({ state: keep, job: { state } });
    const again = await other.once('report', slot, { onFailure: 'retry' }, () => 0);
    expect([again.state, again.job?.tries]).toEqual(retry);
  });
});

/** With the options of the store. */
function urlOf({ url, options }: Store): string {
  const query = Object.entries(options).map(([option, value]) => `${option}=${encodeURIComponent(String(value))}`);
  return `${url}?${query.join('&')}`;
}
