import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runConformance } from '@locks/conformance';
import type { ConformanceReport } from '@locks/conformance';
import { expect, test } from 'vitest';
import { create } from './fixtures/folder-store.js';
import { startRemoteStore } from './fixtures/remote-server.ts';
import { acrossProcesses, against, remote } from './support/remote.ts';

const statuses = ({ results }: ConformanceReport, ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(results.filter(({ id }) => ids.includes(id)).map(({ id, status }) => [id, status]));

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

test.each([
  ['the wall clocks of its processes', { wall: true }, 'failed'],
  ['the monotonic clock of its host', { wall: false }, 'passed'],
])('a store with the time of %s', async (_what, { wall }, status) => {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const args = { folder, wall };
  const processes = { module: new URL('fixtures/folder-store.js', import.meta.url), args };
  const only = ['processes-wall-clock'];
  const report = await runConformance({ name: 'folder', create: () => create(args), processes, only });
  await rm(folder, { recursive: true });
  expect(statuses(report, only)).toEqual({ 'processes-wall-clock': status });
});
