import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider, Traits } from '@locks/core';
import { printTable, requirements, runConformance } from '@locks/conformance';
import type { ConformanceReport } from '@locks/conformance';
import { expect, test } from 'vitest';
import { createTextbook } from './flawed/textbook.ts';

function failures({ results }: ConformanceReport): readonly string[] {
  return results.filter(({ status }) => status === 'failed').map(({ id }) => id);
}

/** Memory providers on one store, changed. */
function changed(change: (inner: LockProvider) => Partial<LockProvider>): () => LockProvider {
  const store = createMemoryStore();
  return () => {
    const inner = createMemoryProvider({ store });
    const bound: LockProvider = {
      name: 'changed',
      traits: inner.traits,
      tryAcquire: (claim, wake) => inner.tryAcquire(claim, wake),
      renew: (claim, token) => inner.renew(claim, token),
      release: (claim) => inner.release(claim),
      inspect: (key) => inner.inspect(key),
      close: () => inner.close(),
    };
    return { ...bound, ...change(inner) };
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
    only: ['release-frees', 'renew-keeps-token', 'token-floor'],
  });
  expect(failures(report)).toEqual(['renew-keeps-token']);
  expect(report.results.find(({ status }) => status === 'failed')?.error?.message).toContain(
    '"renew-keeps-token" to end within 300 ms',
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

test('a create that fails rejects the run', async () => {
  const create = (): LockProvider => {
    throw new Error('no server');
  };
  await expect(runConformance({ name: 'none', create })).rejects.toThrow('no server');
});

test('a create that gives no provider is a failure that says so', async () => {
  const inner = createMemoryProvider();
  let made = 0;
  const create = (): LockProvider =>
    (made += 1) === 1 ? inner : ({ name: 'half', traits: inner.traits, close: async () => {} } as never);
  const report = await runConformance({ name: 'half', create, only: ['release-frees'] });
  expect(report.results[0]?.error?.message).toContain('expected create() to give a provider with tryAcquire()');
});

test('wrong options are refused by name', async () => {
  const create = (): LockProvider => createMemoryProvider();
  await expect(runConformance({ name: 'm', create, only: ['release-frees', 'no-such-id'] })).rejects.toThrow(
    'no-such-id',
  );
  await expect(runConformance({ name: 'm', create, ttl: 10 })).rejects.toThrow('Option "ttl"');
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

test('a failure says how to repeat it', async () => {
  const create = changed(() => ({ release: async () => true }));
  const { results, seed } = await runConformance({ name: 'm', create, seed: 42, only: ['release-frees'] });
  expect(seed).toBe(42);
  expect(results[0]?.error?.message).toContain('(seed 42)');
});

test('the table names every requirement, its status and why it failed or was not checked', async () => {
  const create = changed((inner) => ({
    release: async () => true,
    traits: { ...inner.traits, scope: 'host', fencing: 'none' },
  }));
  const report = await runConformance({
    name: 'm',
    create,
    ttl: 50,
    // What it may declare too little of is looked for as long, and this one never lets go of a key.
    limit: 1_000,
    seed: 42,
    only: ['token-floor', 'release-frees', 'processes-wake', 'inspect-idle'],
  });
  const table = printTable(report);
  expect(table).toMatch(/^m: scope host, expiry ttl, fencing none/);
  expect(table).toMatch(/FAILED +\d+ ms {2}release-frees/);
  expect(table).toMatch(/n\/a +\d+ ms {2}token-floor {2}\(the traits do not ask for it\)/);
  expect(table).toMatch(/unverified +\d+ ms {2}processes-wake {2}\(needs processes\)/);
  expect(table).toContain('release-frees: release answers true and the key is free at once');
  expect(table).toContain('expected release to answer false');
  expect(table).toContain('1 unverified, 1 not-applicable');
  expect(table).toContain('(seed 42)');
});
