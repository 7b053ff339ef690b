import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider, Traits } from '@locks/core';
import { requirements, runConformance } from '@locks/conformance';
import type { ConformanceReport } from '@locks/conformance';
import { expect, test } from 'vitest';
import { createTextbook } from './flawed/textbook.ts';
import { bound } from './bound.ts';

function failures({ results }: ConformanceReport): readonly string[] {
  return results.filter(({ status }) => status === 'failed').map(({ id }) => id);
}

/** Memory providers on one store, changed. */
function changed(change: (inner: LockProvider) => Partial<LockProvider>): () => LockProvider {
  const store = createMemoryStore();
  return () => {
    const inner = createMemoryProvider({ store });
    return { ...bound(inner), name: 'changed', ...change(inner) };
  };
}

test('ids are unique and in kebab case, titles are sentences without an end', () => {
  const ids = requirements.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, title } of requirements) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(title).toMatch(/[^.]$/);
  }
});

test('a provider that hangs fails within the limit, and the suite goes on', async () => {
  const create = changed(() => ({ renew: () => new Promise(() => {}) }));
  const report = await runConformance({
    name: 'hangs',
    create,
    limit: 300,
    only: ['release-frees', 'renew-raises-token', 'token-floor'],
  });
  expect(failures(report)).toEqual(['renew-raises-token']);
  expect(report.results.find(({ status }) => status === 'failed')?.error?.message).toContain(
    '"renew-raises-token" to end within 300 ms',
  );
});

test('a provider whose close hangs fails', async () => {
  const create = changed(() => ({ close: () => new Promise(() => {}) }));
  const report = await runConformance({ name: 'hangs', create, ttl: 50, only: ['release-frees'] });
  expect(report.results[0]?.error?.message).toContain('close() of changed to resolve');
});

test('a requirement that leaves something behind fails with the counts', async () => {
  let left = 0;
  const create = changed((inner) => ({
    async release(claim) {
      const freed = await inner.release(claim);
      if (!freed) left += 1;
      return freed;
    },
  }));
  const leaks = () => ({ subscriptions: left, keys: 0 });
  const report = await runConformance({
    name: 'leaks',
    create,
    ttl: 50,
    leaks,
    only: ['token-floor', 'release-only-own'],
  });
  expect(failures(report)).toEqual(['release-only-own']);
  expect(report.results.find(({ status }) => status === 'failed')?.error?.message).toContain(
    'leaks: expected nothing to be left behind',
  );
  expect(report.results.find(({ status }) => status === 'failed')?.error?.message).toContain(
    'subscriptions went from 0 to 2',
  );
});

test.each([undefined, null, 3, { keys: '0' }])(
  'leaks that gives %o fails by name, and is not taken for no leak',
  async (counts) => {
    const leaks = (): never => counts as never;
    const { results } = await runConformance({
      name: 'm',
      create: changed(() => ({})),
      leaks,
      only: ['release-frees'],
    });
    expect(results[0]?.error?.message).toContain('expected option "leaks" to give numbers by name');
  },
);

test('leaks that never answers fails by name within the patience of a check, and the suite goes on', async () => {
  let asked = 0;
  const leaks = async (): Promise<{ readonly keys: number }> => {
    asked += 1;
    // As a count over a connection to a server that stands still.
    return asked === 1 ? await new Promise<never>(() => {}) : { keys: 0 };
  };
  const only = ['release-frees', 'token-floor'];
  const { results } = await runConformance({ name: 'm', create: changed(() => ({})), ttl: 50, leaks, only });
  expect(results.map(({ status }) => status)).toEqual(['failed', 'passed']);
  expect(results[0]?.error?.message).toContain('expected option "leaks" to answer within 2500 ms');
});

test('timers that close leaves are found', async () => {
  const timers: NodeJS.Timeout[] = [];
  const create = changed((inner) => ({
    async tryAcquire(claim, wake) {
      timers.push(setTimeout(() => {}, 60_000));
      return await inner.tryAcquire(claim, wake);
    },
  }));
  const only = ['close-leaves-nothing', 'locks-no-timers', 'close-refuses'];
  const report = await runConformance({ name: 'timers', create, ttl: 50, only });
  for (const timer of timers) clearTimeout(timer);
  expect(failures(report)).toEqual(['close-leaves-nothing', 'locks-no-timers']);
});

const failing = (): never => {
  throw new Error('no server');
};
const noProvider = 'expected create() to give a provider with tryAcquire()';

test.each([
  ['never resolves', () => new Promise<never>(() => {}), 'expected create() to resolve within 100 ms'],
  ['fails', failing, 'no server'],
  ['gives nothing', () => undefined as never, noProvider],
  ['gives null', () => null as never, noProvider],
  ['gives a number', () => 5 as never, noProvider],
  ['gives an object', () => ({}) as never, noProvider],
  ['gives something with close()', () => ({ close: () => {} }) as never, noProvider],
  ['gives no traits', changed(() => ({ traits: undefined as never })), 'to give a provider with traits'],
])('a create that %s rejects the run, by name and within the limit', async (_, create, message) => {
  await expect(runConformance({ name: 'none', create, limit: 100 })).rejects.toThrow(message);
});

test('a create that gives no provider later is a failure that says so', async () => {
  const inner = createMemoryProvider();
  let made = 0;
  const create = (): LockProvider =>
    (made += 1) === 1 ? inner : ({ name: 'half', traits: inner.traits, close: async () => {} } as never);
  const report = await runConformance({ name: 'half', create, only: ['release-frees'] });
  expect(report.results[0]?.error?.message).toContain(noProvider);
});

test('a provider that declares less than it does is told so', async () => {
  const store = new Map();
  const less: Traits = { ...createTextbook(store).traits, fencing: 'none', fair: false, wake: false };
  const create = (): LockProvider => ({ ...createTextbook(store), traits: less });
  const { notes } = await runConformance({ name: 'modest', create, only: ['release-frees'] });
  expect(notes).toHaveLength(3);
  for (const word of ['fencing', 'wake', 'fair'])
    expect(notes.some((note) => note.includes(`declares ${word}`))).toBe(true);
});

test.each([
  ['an error', () => new TypeError('odd')],
  ['a DOMException', () => new DOMException('odd', 'AbortError')],
  ['a frozen error', () => Object.freeze(new Error('odd'))],
  ['an error without a stack', () => Object.assign(new Error('odd'), { stack: undefined })],
])('a failure says how to repeat it, in its message and in its stack: %s', async (_name, make) => {
  const create = changed(() => ({
    release: async () => {
      const error: unknown = make();
      throw error;
    },
  }));
  const { results, seed } = await runConformance({ name: 'm', create, seed: 42, only: ['release-frees'] });
  expect(seed).toBe(42);
  expect(results[0]?.status).toBe('failed');
  expect(results[0]?.error?.message).toBe('odd (seed 42)');
  expect(results[0]?.error?.stack).toContain('odd (seed 42)');
});
