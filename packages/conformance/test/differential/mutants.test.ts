import assert from 'node:assert/strict';
import { differentialTest } from '@locks/conformance';
import type { LockProvider } from '@locks/core';
import { LockError, step } from '@locks/core/adapter';
import type { KeyCall, KeyRules } from '@locks/core/adapter';
import { expect, test } from 'vitest';
import { differentialTestWith } from '../../src/differential/differential-test.ts';
import { memoryInVirtualTime } from '../support/differential.ts';
import { bound } from '../bound.ts';

type Step = typeof step;

/** The rules, with another call or other settings. */
const asked =
  (change: (call: KeyCall, rules: KeyRules) => { readonly call?: KeyCall; readonly rules?: KeyRules }): Step =>
  (record, call, now, rules) => {
    const changed = change(call, rules);
    return step(record, (changed.call ?? call) as typeof call, now, changed.rules ?? rules);
  };

/** The rules, whose record is changed after them. */
const left =
  (change: (stepped: ReturnType<Step>, call: KeyCall, before: Parameters<Step>[0]) => void): Step =>
  (record, call, now, rules) => {
    const stepped = step(record, call, now, rules);
    change(stepped, call, record);
    return stepped;
  };

/** Rules that are wrong in one point, and what the differential test sees of it. */
const flawed: Readonly<Record<string, Step>> = {
  'newcomers pass the queue': (record, call, now, rules) => {
    if (call.op !== 'acquire') return step(record, call, now, rules);
    const isOwn = ({ owner }: { readonly owner: string }): boolean => owner === call.claim.owner;
    const stepped = step({ ...record, queue: record.queue.filter(isOwn) }, call, now, rules);
    stepped.record.queue.unshift(...record.queue.filter((place) => !isOwn(place)));
    return stepped;
  },
  'a place lasts longer': asked((_call, rules) => ({ rules: { ...rules, waiterTtl: rules.waiterTtl * 2 } })),
  'a renewal keeps the ttl': asked((call) =>
    call.op === 'renew' ? { call: { ...call, claim: { ...call.claim, ttl: 40_000 } } } : {},
  ),
  'a renewal does not look at the token': asked((call) =>
    call.op === 'renew' ? { call: { op: 'renew', claim: call.claim } } : {},
  ),
  'a claim without wake takes a place': asked((call) =>
    call.op === 'acquire' ? { call: { ...call, contact: call.contact ?? 'none' } } : {},
  ),
  'a repeat does not restart the ttl': left(({ record }, call, before) => {
    if (call.op !== 'acquire') return;
    const held = before.holds.find(({ owner }) => owner === call.claim.owner);
    for (const hold of record.holds) if (hold.owner === held?.owner) hold.until = held.until;
  }),
  'a claim goes by the number of those that share': (record, call, now, rules) => {
    const permits = record.holds[0]?.permits;
    if (call.op !== 'acquire' || permits === undefined) return step(record, call, now, rules);
    return step(record, { ...call, claim: { ...call.claim, permits } }, now, rules);
  },
  'a release leaves the place': left(({ record }, call, before) => {
    if (call.op === 'release') record.queue = before.queue.map((place) => ({ ...place }));
  }),
  'a repeat gets a token above its floor': left(({ record }, call, before) => {
    if (call.op !== 'acquire') return;
    const { owner, floor = -1n } = call.claim;
    const hold = before.holds.some((one) => one.owner === owner) && record.holds.find((one) => one.owner === owner);
    if (hold && floor >= BigInt(hold.token)) hold.token = Number(floor) + 1;
  }),
};

test.each(Object.entries(flawed))('rules where %s are found', async (_name, rules) => {
  const found = differentialTestWith(rules, memoryInVirtualTime(1_000));
  await assert.rejects(found, /answers otherwise than the rules of a key/);
});

/** A provider that is wrong in one point. */
const spoiled: Readonly<Record<string, (inner: LockProvider) => Partial<LockProvider>>> = {
  'heeds no floor': (inner) => ({
    tryAcquire(claim, wake) {
      const { floor: _, ...rest } = claim;
      return inner.tryAcquire(rest, wake);
    },
  }),
  'wakes no claim': (inner) => ({ tryAcquire: (claim, wake) => inner.tryAcquire(claim, wake && (() => {})) }),
  'renews what has expired': (inner) => ({ renew: async (claim, token) => (await inner.renew(claim, token)) || {} }),
  'frees what waits': (inner) => ({ release: async (claim) => (await inner.release(claim)) || true }),
  'says that a key has one waiter more': (inner) => ({
    async inspect(key) {
      const state = await inner.inspect(key);
      return { ...state, waiters: state.waiters + 1 };
    },
  }),
};

test.each(Object.entries(spoiled))('a provider that %s is found', async (_name, spoil) => {
  const { create, ...options } = memoryInVirtualTime(1_000);
  const found = differentialTest({
    ...options,
    create: async (rules) => {
      const inner = await create(rules);
      return { ...bound(inner), ...spoil(inner) };
    },
  });
  await assert.rejects(found, /answers otherwise than the rules of a key/);
});

test('a difference is told with its shortest sequence', async () => {
  const rules = flawed['a release leaves the place'] as Step;
  const failure = await differentialTestWith(rules, memoryInVirtualTime(1_000)).catch((error: unknown) => error);
  expect(String(failure)).toContain('\n  acquire party-');
  expect(String(failure).split('\n').length).toBeLessThan(8);
});

test('a difference that is exempted ends its sequence, and is counted', async () => {
  const rules = flawed['a place lasts longer'] as Step;
  const report = await differentialTestWith(rules, {
    ...memoryInVirtualTime(200),
    exemptions: [{ id: 'places', reason: 'these rules are flawed', covers: () => true }],
  });
  const { agreed, exempted } = report;
  expect(exempted['places']).toBeGreaterThan(0);
  expect(agreed + (exempted['places'] ?? 0)).toBe(200);
});

test('too many abandoned sequences are a failure', async () => {
  const { create, ...options } = memoryInVirtualTime(20);
  const slow = differentialTestWith(step, {
    ...options,
    create: async (rules) => {
      const provider = await create(rules);
      provider.inspect = () => Promise.reject(new LockError('LOCK_UNAVAILABLE', 'The store is away.'));
      return provider;
    },
  });
  await assert.rejects(slow, /expected fewer of the 20 sequences of memory to be abandoned/);
});
