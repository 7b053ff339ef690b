import { createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider } from '@locks/core';
import { printConformance, printTable } from '@locks/conformance';
import type { ConformanceOptions } from '@locks/conformance';
import { expect, test } from 'vitest';
import { bound } from './bound.ts';

const only = ['declares-traits', 'release-frees', 'token-floor', 'processes-exclusion', 'processes-wake'];

/** A provider whose release returns true always, among processes of one host. */
function flawed(): ConformanceOptions {
  const store = createMemoryStore();
  const create = (): LockProvider => {
    const inner = createMemoryProvider({ store });
    const traits = { ...inner.traits, scope: 'host', fencing: 'none' } as const;
    return { ...bound(inner), name: 'flawed', traits, release: async () => true };
  };
  // What it may declare too little of is looked for as long, and this one never frees a key.
  return { name: 'm', create, ttl: 50, limit: 1_000, seed: 42, only };
}

test('the table has each requirement with its title, its status and why it was not checked', async () => {
  const lines: string[] = [];
  const report = await printConformance(flawed(), (line) => lines.push(line));
  const [head, ...rest] = lines;
  expect(head).toMatch(/^m: scope host, expiry ttl, fencing none/);
  expect(rest).toEqual([
    expect.stringMatching(/^1\/5 passed +\d+ ms {2}declares-traits: name and traits exist/),
    expect.stringMatching(
      /^2\/5 FAILED +\d+ ms {2}release-frees: release returns true and the key is free immediately[^]*\n {2}expected release to return false/,
    ),
    expect.stringMatching(/^3\/5 n\/a +\d+ ms {2}token-floor: .* {2}\(the traits do not ask for it\)$/),
    expect.stringMatching(/^4\/5 unverified +\d+ ms {2}processes-exclusion: .* {2}\(needs processes\)$/),
    expect.stringMatching(/^5\/5 unverified +\d+ ms {2}processes-wake: .* {2}\(needs processes\)$/),
    expect.stringMatching(/\nrelease-frees: release returns true[^]*expected release to return false[^]*\(seed 42\)/),
  ]);
  const end = lines.at(-1);
  expect(end).toContain('unverified, missing: processes (2)');
  expect(report.verdict).toBe('failed');
  expect(process.exitCode).toBe(1);
  process.exitCode = undefined;
  expect(end).toMatch(/\nfailed: 1 passed, 1 failed, 2 unverified, 1 not-applicable in \d+\.\d s \(seed 42\)$/);
  // The same at the end of a run that printed nothing.
  const table = printTable(report);
  expect(table).toBe([head, ...rest.slice(0, -1).map((line) => line.slice('1/5 '.length)), end].join('\n'));
});

test('each line comes when its requirement has ended, not at the end of the run', async () => {
  const store = createMemoryStore();
  let made = 0;
  const seen: number[] = [];
  const create = (): LockProvider => {
    made += 1;
    return createMemoryProvider({ store });
  };
  const names = ['exclusion-while-held', 'release-frees', 'token-floor'];
  await printConformance({ name: 'm', create, only: names }, () => seen.push(made));
  expect(new Set(seen.slice(0, 4)).size).toBe(4);
});

test('what is unverified makes a run incomplete, and fails with option "strict"', async () => {
  const store = createMemoryStore();
  const create = (): LockProvider => {
    const memory = createMemoryProvider({ store });
    return Object.assign(memory, { traits: { ...memory.traits, scope: 'host' as const } });
  };
  const options = { name: 'm', create, only: ['exclusion-while-held', 'processes-exclusion'] };
  const { verdict } = await printConformance(options, () => {});
  expect([verdict, process.exitCode]).toEqual(['incomplete', undefined]);
  const strict = await printConformance({ ...options, strict: true }, () => {});
  expect([strict.verdict, process.exitCode]).toEqual(['failed', 1]);
  process.exitCode = undefined;
  expect(strict.results[1]?.error?.message).toMatch(/option "strict" says; it needs processes/);
  expect((await printConformance({ ...options, only: ['exclusion-while-held'] }, () => {})).verdict).toBe('passed');
});

test('a close that rejects when it is repeated is named', async () => {
  const store = createMemoryStore();
  const create = (): LockProvider => {
    const memory = createMemoryProvider({ store });
    let closed = false;
    return Object.assign(memory, {
      close: async () => {
        if (closed) throw new Error('closed already');
        closed = true;
      },
    });
  };
  const { results } = await printConformance({ name: 'm', create, only: ['close-is-local'] }, () => {});
  process.exitCode = undefined;
  expect(results[0]?.error?.message).toMatch(/close\(\) of memory to resolve .* closed before; it rejected/);
});
