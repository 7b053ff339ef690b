import { expect, test } from 'vitest';
import { withSentinels } from '../support/deployments.ts';
import { partition } from '../support/events.ts';
import { lossesTests, outcomeOf } from '../support/losses.ts';

lossesTests('Sentinels with `restartGuard`');

test('partition, without min-replicas-to-write: two', { timeout: 150_000 }, async () => {
  const outcome = await outcomeOf(partition, { start: withSentinels, ttl: 15_000, restartGuard: 20_000 });
  expect(outcome).toBe('two');
});
