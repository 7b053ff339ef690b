import { createLocks } from '@locks/core';
import { expect, test } from 'vitest';
import type { Core } from '../../src/context/core.ts';
import { runConformanceWith } from '../../src/harness.ts';
import { requirements } from '../../src/requirements/index.ts';
import { memory } from '../support/memory.ts';

const core: Core = {
  createLocks: (provider, options) =>
    createLocks(
      provider,
      provider.traits.expiry === 'session' ? options : { ...options, localHandOff: { count: 8, ms: 50 } },
    ),
};

/** They look for several claims of one Locks in the line of the store. */
const severalInLine: ReadonlySet<string> = new Set(
  ['dropped', 'repeated', 'order', 'spurious'].map((how) => `locks-wakes-${how}`),
);

test('a Locks whose claims pass keys on passes what is asked of a Locks', { timeout: 300_000 }, async () => {
  const only = requirements.filter(({ id, level }) => level === 'locks' && !severalInLine.has(id)).map(({ id }) => id);
  const { results } = await runConformanceWith(core, { ...memory(), only }, 10_000);
  const failed = results.filter(({ status }) => status === 'failed');
  expect(failed.map(({ id, error }) => `${id}: ${error?.message}`)).toEqual([]);
  expect(results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(50);
});
