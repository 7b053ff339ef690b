import { expect, test } from 'vitest';
import { planFaults } from '../src/faults/schedule.ts';
import { createRandom } from '../src/random.ts';

const options = { length: 60_000, ttl: 1_000, workers: 4, servers: 3, members: true };

test('a seed gives the same faults again, and another seed others', () => {
  const plan = (seed: number) => planFaults(createRandom(seed), options);
  expect(plan(1)).toEqual(plan(1));
  expect(plan(1)).not.toEqual(plan(2));
});

test('faults end in time, and no two servers have one at once', () => {
  const plan = planFaults(createRandom(3), options);
  for (const { at, duration } of plan) expect(at + duration).toBeLessThanOrEqual(options.length);
  const ofServers = plan.filter(({ kind }) => kind.startsWith('server'));
  expect(ofServers.length).toBeGreaterThan(1);
  for (const [index, { at }] of ofServers.entries()) {
    const before = ofServers[index - 1];
    if (before !== undefined) expect(at).toBeGreaterThan(before.at + before.duration);
  }
});

test('without a server only workers have faults', () => {
  const kinds = new Set(planFaults(createRandom(4), { ...options, servers: 0 }).map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual(['kill', 'pause']);
});

test('with empty restarts every 5 s another server is hit each time, and by no other fault', () => {
  const plan = planFaults(createRandom(5), { ...options, members: false, empty: { every: 5_000, atOnce: 1 } });
  const ofServers = plan.filter(({ kind }) => kind.startsWith('server'));
  expect(ofServers).toHaveLength(12);
  for (const [index, { kind, at, duration, target }] of ofServers.entries()) {
    expect(kind).toBe('server-empty');
    expect(at + duration).toBeLessThanOrEqual(options.length);
    const before = ofServers[index - 1];
    if (before !== undefined) expect([at - before.at, target]).toEqual([5_000, (before.target + 1) % 3]);
  }
  expect(plan.length).toBeGreaterThan(ofServers.length);
});
