import assert from 'node:assert/strict';
import { createMemoryProvider, createMemoryStore } from '@locks/core';
import { printTable, requirements, runConformance } from '@locks/conformance';
import type { ConformanceOptions, ConformanceReport } from '@locks/conformance';
import { expect, test } from 'vitest';

const runs = 20;
/** These count what keeps the process alive or block it, and many runs share it in some of these tests. */
const alone = ['close-leaves-nothing', 'locks-no-timers', 'locks-blocked-loop'];
const together = requirements.map(({ id }) => id).filter((id) => !alone.includes(id));

function memory({ fair = true } = {}): ConformanceOptions {
  const store = createMemoryStore();
  const leaks = () => ({ keys: [...store.keys('')].length });
  return { name: 'memory', create: () => createMemoryProvider({ store, fair }), leaks };
}

function mustPass({ results }: ConformanceReport): void {
  const failed = results.filter(({ status }) => status === 'failed' || status === 'unverified');
  assert.deepEqual(
    failed.map(({ id, error }) => `${id}: ${error?.message}`),
    [],
  );
}

test('the memory provider passes everything', async () => {
  const report = await runConformance(memory());
  console.log(printTable(report));
  mustPass(report);
  const spent = report.results.reduce((sum, { duration }) => sum + duration, 0);
  // About half of it where the machine does nothing else.
  expect(spent).toBeLessThan(40_000);
});

test('the memory provider without fairness passes everything, and is not told that it is fair', async () => {
  const report = await runConformance({ ...memory({ fair: false }), ttl: 200 });
  mustPass(report);
  expect(report.notes).toEqual([]);
  expect(report.results.find(({ id }) => id === 'fair-order')?.status).toBe('not-applicable');
});

test(`the memory provider passes ${runs} times in a row`, async () => {
  const reports = await Promise.all(
    Array.from({ length: runs }, () => runConformance({ ...memory(), ttl: 250, only: together })),
  );
  for (const report of reports) mustPass(report);
});

test(`what must run alone passes ${runs} times in a row`, async () => {
  for (let run = 0; run < runs; run += 1) mustPass(await runConformance({ ...memory(), only: alone }));
});
