import type { Faults } from '@locks/conformance';
import type { LockProvider } from '@locks/core';
import { describe, expect, test } from 'vitest';
import { runConformance } from '@locks/conformance';
import { scopeFaults } from '../src/faults/scoped-faults.ts';
import { createNetwork, memoryData } from './support/network.ts';

const provider = {} as LockProvider;

/** Hooks that write down what they do. */
function recorded(log: string[]): Faults {
  const lasting = (name: string) => async (): Promise<() => Promise<void>> => {
    log.push(name);
    return async () => void log.push(`end of ${name}`);
  };
  return {
    pause: lasting('pause'),
    silence: lasting('silence'),
    delay: lasting('delay'),
    duplicate: lasting('duplicate'),
  };
}

describe('the hooks of a check', () => {
  test('are undone at its end, unless the check did so itself', async () => {
    const log: string[] = [];
    const { hooks, end } = scopeFaults(recorded(log));
    const thaw = await hooks.pause();
    await hooks.silence(provider, 'both');
    await hooks.delay(provider, 5);
    await hooks.duplicate(provider);
    await thaw();
    await end();
    expect(log.slice(0, 5)).toEqual(['pause', 'silence', 'delay', 'duplicate', 'end of pause']);
    expect(log.slice(5).toSorted()).toEqual(['end of delay', 'end of duplicate', 'end of silence']);
    await thaw();
    expect(log).toHaveLength(8);
  });

  test('are undone at once when they begin after it', async () => {
    const log: string[] = [];
    const { hooks, end } = scopeFaults(recorded(log));
    await end();
    await hooks.pause();
    expect(log).toEqual(['pause', 'end of pause']);
  });

  test('are waited for when they are at work at its end', async () => {
    const log: string[] = [];
    let goOn = (): void => {};
    const restarted = new Promise<void>((resolve) => (goOn = resolve));
    const { hooks, end } = scopeFaults({ restart: () => restarted });
    const restarting = hooks.restart().then(() => log.push('restarted'));
    const ended = end().then(() => log.push('ended'));
    goOn();
    await Promise.all([restarting, ended]);
    expect(log).toEqual(['restarted', 'ended']);
  });

  test('are all undone though one of them cannot be, which is a failure', async () => {
    const log: string[] = [];
    const { hooks, end } = scopeFaults({
      ...recorded(log),
      pause: async () => () => Promise.reject(new Error('it does not thaw')),
    });
    await hooks.pause();
    await hooks.silence(provider, 'requests');
    await expect(end()).rejects.toThrow('it does not thaw');
    expect(log).toEqual(['silence', 'end of silence']);
  });

  test('that were not given cannot be used: the requirement must declare its need', async () => {
    const { hooks } = scopeFaults({});
    await expect(hooks.sever(provider)).rejects.toThrow('the hook "sever" must declare it as a need');
    await expect(hooks.pause()).rejects.toThrow('the hook "pause" must declare it as a need');
  });
});

test.each([
  ['a failure', 30_000, () => false, 'expected a release while the backend is frozen to reject'],
  ['the limit', 1_000, () => new Promise<boolean>(() => {}), '"pause-is-unknown" to end within 1000 ms'],
])(
  'after %s, faults are undone before providers are closed, and the suite goes on',
  async (_, limit, answer, message) => {
    const network = createNetwork(memoryData, {
      wrap: (inner) => ({ release: (claim) => inner.release(claim).catch(answer) }),
    });
    const log: string[] = [];
    const { results } = await runConformance({
      name: 'paused',
      ttl: 200,
      limit,
      only: ['release-frees', 'pause-is-unknown', 'restart-tokens'],
      create() {
        const made = network.create();
        const close = (): Promise<void> => {
          log.push('close');
          return made.close();
        };
        return { ...made, close };
      },
      faults: {
        ...network.faults,
        async pause() {
          const thaw = await network.faults.pause();
          log.length = 0;
          return () => {
            log.push('thaw');
            return thaw();
          };
        },
      },
    });
    const statuses = Object.fromEntries(results.map(({ id, status }) => [id, status]));
    const others = { 'release-frees': 'passed', 'restart-tokens': 'passed' };
    expect(statuses).toEqual({ ...others, 'pause-is-unknown': 'failed' });
    expect(results.find(({ id }) => id === 'pause-is-unknown')?.error?.message).toContain(message);
    expect(log.slice(0, 2)).toEqual(['thaw', 'close']);
  },
);
