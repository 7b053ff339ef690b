import { expect, test } from 'vitest';
import { withSentinels } from '../support/deployments.ts';
import { partition, stoodStill } from '../support/events.ts';
import { guardedSentinels, lossesTests, outcomeOf } from '../support/losses.ts';

lossesTests('Sentinels with `restartGuard`');

test('partition, without min-replicas-to-write: two', { timeout: 150_000 }, async () => {
  expect(await outcomeOf(partition, { ...guardedSentinels, start: withSentinels })).toBe('two');
});

test('failover, the other client is one of the old master that stood still: rest', { timeout: 150_000 }, async () => {
  expect(await outcomeOf({ ...stoodStill, newcomer: false }, guardedSentinels)).toBe('rest');
});
