import type { ConformanceReport } from '@locks/conformance';
import { expect, test } from 'vitest';
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
