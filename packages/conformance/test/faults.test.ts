import assert from 'node:assert/strict';
import { printTable, requirements, runConformance } from '@locks/conformance';
import { expect, test } from 'vitest';
import { createNetwork, memoryData, textbookData } from './support/network.ts';

const byFaults = requirements.filter(({ needs }) => needs?.some((need) => need !== 'processes')).map(({ id }) => id);

for (const [name, data] of [
  ['memory', memoryData],
  ['textbook', textbookData()],
] as const) {
  test(`the ${name} provider behind a network that fails passes everything`, async () => {
    const report = await runConformance({ name, ...createNetwork(data), ttl: 200, only: byFaults });
    console.log(printTable(report));
    const unmet = report.results.filter(({ status }) => status !== 'passed');
    assert.deepEqual(
      unmet.map(({ id, error }) => `${id}: ${error?.message}`),
      [],
    );
    expect(report.results).toHaveLength(byFaults.length);
  });
}
