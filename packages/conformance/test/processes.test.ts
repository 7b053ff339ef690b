import assert from 'node:assert/strict';
import { requirements, runConformance, startConformance } from '@locks/conformance';
import type { ConformanceOptions, ConformanceReport } from '@locks/conformance';
import { expect, test } from 'vitest';
import { create } from './fixtures/remote-provider.js';
import { startRemoteStore } from './fixtures/remote-server.ts';
import type { RemoteStore } from './fixtures/remote-server.ts';
import { runSideBySide } from './support/side-by-side.ts';

const acrossProcesses = requirements.filter(({ needs }) => needs?.includes('processes')).map(({ id }) => id);

function remote({ path }: RemoteStore): ConformanceOptions {
  const module = new URL('./fixtures/remote-provider.js', import.meta.url);
  return { name: 'remote', create: () => create({ path }), processes: { module, args: { path } }, ttl: 200 };
}

async function against(store: RemoteStore, options: ConformanceOptions): Promise<ConformanceReport> {
  try {
    return await runConformance(options);
  } finally {
    await store.close();
  }
}

const statuses = ({ results }: ConformanceReport, ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(results.filter(({ id }) => ids.includes(id)).map(({ id, status }) => [id, status]));

test('a provider that several processes share passes everything, and leaves no key or connection', async () => {
  const stores: RemoteStore[] = [];
  const { results } = await runSideBySide(async () => {
    const store = await startRemoteStore();
    stores.push(store);
    const leaks = () => ({ keys: store.keys(), connections: store.connections() });
    return { ...remote(store), leaks };
  });
  await Promise.all(stores.map((store) => store.close()));
  const unmet = results.filter(({ status }) => status === 'failed' || status === 'unverified');
  assert.deepEqual(
    unmet.map(({ id, error }) => `${id}: ${error?.message}`),
    [],
  );
  expect(results.find(({ id }) => id === 'processes-exclusion')?.status).toBe('passed');
});

test('processes that do not meet are found out', async () => {
  const store = await startRemoteStore({ separate: true });
  const report = await against(store, { ...remote(store), only: acrossProcesses, limit: 20_000 });
  expect(statuses(report, acrossProcesses)).toMatchObject({
    'processes-exclusion': 'failed',
    'processes-killed-holder': 'failed',
    'processes-wake': 'failed',
  });
});

test('a place of a dead process that is removed too late is found out', async () => {
  const store = await startRemoteStore({ removesLate: true });
  const report = await against(store, { ...remote(store), only: acrossProcesses, limit: 20_000 });
  const failed = report.results.filter(({ status }) => status === 'failed').map(({ id }) => id);
  expect(failed).toEqual(['processes-killed-holder-that-waited']);
});

test('without a way to start processes, what needs them is unverified', async () => {
  const store = await startRemoteStore();
  const { processes: _, ...options } = remote(store);
  const { results } = await against(store, { ...options, only: acrossProcesses });
  for (const { status, reason } of results)
    expect({ status, reason }).toEqual({ status: 'unverified', reason: 'needs processes' });
});

test('a process that stands still when its check fails is ended with it', async () => {
  const store = await startRemoteStore();
  const processes = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap').length;
  const before = processes();
  let answered = false;
  const { status, error } = await startConformance(remote(store)).check({
    id: 'stands-still',
    level: 'provider',
    title: 'it stands still',
    appliesTo: () => true,
    async check(context) {
      const [paused, resumed] = await Promise.all([context.fork(), context.fork()]);
      await Promise.all([paused.pause(), resumed.pause()]);
      const call = resumed.call('inspect', context.key());
      paused.call('inspect', context.key()).then(
        () => (answered = true),
        () => {},
      );
      resumed.resume();
      await call;
      throw new Error('one answers, the other does not');
    },
  });
  await store.close();
  expect({ status, answered }).toEqual({ status: 'failed', answered: false });
  expect(error?.message).toContain('one answers, the other does not');
  await expect.poll(processes).toBe(before);
});

test('a module that cannot be imported is a failure that says so', async () => {
  const store = await startRemoteStore();
  const { results } = await against(store, {
    ...remote(store),
    processes: { module: '/no/such/module.js' },
    only: ['processes-wake'],
  });
  expect(results[0]?.error?.message).toContain('/no/such/module.js');
});
