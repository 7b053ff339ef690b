import assert from 'node:assert/strict';
import { needsFault, printTable, requirements, runConformance } from '@locks/conformance';
import { expect, test } from 'vitest';
import { createNetwork, memoryData, textbookData } from './support/network.ts';

const byFaults = requirements.filter(needsFault);

test.each([
  ['memory', memoryData],
  ['textbook', textbookData()],
])('the %s provider behind a network that fails passes everything', async (name, data) => {
  const report = await runConformance({ name, ...createNetwork(data), ttl: 200, only: needsFault });
  console.log(printTable(report));
  const unmet = report.results.filter(({ status }) => status !== 'passed');
  assert.deepEqual(
    unmet.map(({ id, error }) => `${id}: ${error?.message}`),
    [],
  );
  expect(report.results).toHaveLength(byFaults.length);
});

test('without hooks, what needs them is unverified and says which', async () => {
  const { create } = createNetwork(memoryData);
  const { results } = await runConformance({ name: 'no hooks', create, only: needsFault });
  for (const { id, status, reason } of results) {
    const needs = requirements.find((requirement) => requirement.id === id)?.needs ?? [];
    expect({ status, reason }).toEqual({ status: 'unverified', reason: `needs ${needs.join(', ')}` });
  }
});
