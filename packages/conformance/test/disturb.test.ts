import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider } from '@locks/core';
import { runConformance } from '@locks/conformance';
import type { ConformanceOptions } from '@locks/conformance';
import { expect, test } from 'vitest';
import { bound } from './bound.ts';

const only = ['release-frees', 'token-floor', 'renew-raises-token'];

/** Options whose hooks write down what happens; attempts fail while `fails` is so. */
function recorded(log: string[], fails: () => boolean = () => false): ConformanceOptions {
  const store = createMemoryStore();
  const create = (): LockProvider => {
    const inner = createMemoryProvider({ store });
    return {
      ...bound(inner),
      async tryAcquire(...args) {
        if (log.at(-1) !== 'attempt') log.push('attempt');
        if (fails()) throw new Error('broken');
        return await inner.tryAcquire(...args);
      },
    };
  };
  return {
    name: 'm',
    create,
    ttl: 50,
    only,
    leaks: () => {
      if (log.at(-1) !== 'count') log.push('count');
      return { keys: 0 };
    },
    async disturb(round) {
      log.push(`begin ${round}`);
      return async () => void log.push(`end ${round}`);
    },
  };
}

test('a disturbance begins before each requirement and ends after it; leaks are counted in between', async () => {
  const log: string[] = [];
  const { results } = await runConformance(recorded(log));
  expect(results.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed']);
  const rounds = [0, 1, 2].flatMap((round) => [`begin ${round}`, 'count', 'attempt', 'count', `end ${round}`]);
  expect(log.slice(0, rounds.length)).toEqual(rounds);
});

test('it ends after a requirement that failed, too', async () => {
  const log: string[] = [];
  const second = (): boolean => log.includes('begin 1') && !log.includes('end 1');
  const { results } = await runConformance(recorded(log, second));
  expect(results.map(({ status }) => status)).toEqual(['passed', 'failed', 'passed']);
  const steps = log.filter((step) => /begin|end/.test(step));
  expect(steps).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2']);
});

test('a requirement that is not checked is not disturbed', async () => {
  const log: string[] = [];
  const { results } = await runConformance({ ...recorded(log), only: ['restart-exclusion', 'sever-keeps-hold'] });
  expect(results.map(({ status }) => status)).not.toContain('passed');
  expect(log).toEqual([]);
});

test.each([
  ['begin', async () => await Promise.reject(new Error('no signal'))],
  ['end', async () => async () => await Promise.reject(new Error('no signal'))],
] as const)('a requirement whose disturbance fails to %s fails, and the suite goes on', async (_, disturb) => {
  const log: string[] = [];
  const broken: NonNullable<ConformanceOptions['disturb']> = async (round) =>
    round === 0 ? await disturb() : async () => {};
  const { results } = await runConformance({ ...recorded(log), disturb: broken });
  expect(results.map(({ status }) => status)).toEqual(['failed', 'passed', 'passed']);
  expect(results[0]?.error?.message).toContain('no signal');
});
