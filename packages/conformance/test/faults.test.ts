import assert from 'node:assert/strict';
import { printTable, requirements, runConformance } from '@locks/conformance';
import { afterAll, describe, expect, test } from 'vitest';
import { faultFlaws } from './flawed/faults/index.ts';
import { createNetwork, memoryData, textbookData } from './support/network.ts';

const byFaults = requirements.filter(({ needs }) => needs?.some((need) => need !== 'processes')).map(({ id }) => id);
const ttl = 200;

test.each([
  ['memory', memoryData],
  ['textbook', textbookData()],
])('the %s provider behind a network that fails passes everything', async (name, data) => {
  const report = await runConformance({ name, ...createNetwork(data), ttl, only: byFaults });
  console.log(printTable(report));
  const unmet = report.results.filter(({ status }) => status !== 'passed');
  assert.deepEqual(
    unmet.map(({ id, error }) => `${id}: ${error?.message}`),
    [],
  );
  expect(report.results).toHaveLength(byFaults.length);
});

/** Cheap ones of all kinds, which a flaw of another kind must not break. */
const others = [
  ...['sever-calls-work-again', 'sever-in-flight', 'sever-keeps-hold', 'sever-keeps-place', 'sever-wakes'],
  ...['lost-reply-of-attempt', 'lost-reply-of-sharer', 'lost-reply-of-renewal', 'lost-reply-of-release'],
  ...['lost-reply-of-place', 'duplicate-attempt', 'duplicate-sharer', 'duplicate-release', 'duplicate-place'],
  ...['restart-exclusion', 'restart-tokens', 'empty-restart-tokens', 'locks-lost-reply', 'locks-lost-reply-of-try'],
];
/** Everything against every flaw: for whoever adds a requirement or a flaw. */
const everything = process.env['LOCKS_TEST_FLAWS'] === 'all';

const caught: string[] = [];
afterAll(() =>
  console.log(`providers that a fault brings down, and what caught them\n${caught.toSorted().join('\n')}`),
);

describe.concurrent('flawed providers behind a network that fails', () => {
  for (const { name, caughtBy, mayAlsoFail = [], make } of faultFlaws) {
    test(name, async () => {
      const control = mayAlsoFail.includes('*') ? [] : others;
      const only = everything ? byFaults : [...new Set([...caughtBy, ...control])];
      const { results, seed } = await runConformance({ name, ...make(), ttl, only, limit: 6_000 });
      const failed = results.filter(({ status }) => status === 'failed').map(({ id }) => id);
      caught.push(`${name.padEnd(90)} ${failed.join(' ')}`);
      const missed = caughtBy.filter((id) => !failed.includes(id));
      assert.deepEqual(missed, [], `seed ${seed}: not caught by ${missed.join(', ')}, but by ${failed.join(', ')}`);
      const unexpected = results.filter(
        ({ id, status }) =>
          status === 'failed' && !caughtBy.includes(id) && !mayAlsoFail.some((pattern) => matches(pattern, id)),
      );
      const why = unexpected.map(({ id, error }) => `${id}: ${error?.message}`).join('\n');
      assert.equal(unexpected.length, 0, `seed ${seed}: these should not have failed\n${why}`);
    });
  }
});

/** A pattern is an id, or the start of one and `*`. */
function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern;
}
