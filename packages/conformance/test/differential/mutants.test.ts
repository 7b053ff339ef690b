import assert from 'node:assert/strict';
import { differentialTest } from '@locks/conformance';
import type { DifferentialOptions } from '@locks/conformance';
import type { Claim, LockProvider } from '@locks/core';
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
  'lists no key that is only waited for': (inner) => ({
    async *list(prefix) {
      for await (const key of inner.list?.(prefix) ?? []) if ((await inner.inspect(key)).holders.length > 0) yield key;
    },
  }),
  'changes a register whatever it has': (inner) => ({
    async register(name, change) {
      return await inner.register?.(name, change && { from: await inner.register(name), to: change.to });
    },
  }),
  'decides the calls of one tick in another order': (inner) => {
    let calls: (() => void)[] = [];
    return {
      async tryAcquire(claim, wake) {
        if (calls.length === 0)
          queueMicrotask(() => {
            for (const call of calls.toReversed()) call();
            calls = [];
          });
        await new Promise<void>((resolve) => calls.push(resolve));
        return await inner.tryAcquire(claim, wake);
      },
    };
  },
  'takes its holds away when it is closed': (inner) => {
    const claims = new Map<string, Claim>();
    return {
      tryAcquire(claim, wake) {
        claims.set(claim.owner, claim);
        return inner.tryAcquire(claim, wake);
      },
      async close() {
        for (const claim of claims.values()) await inner.release(claim);
        await inner.close();
      },
    };
  },
  'knows only holds of its own': (inner) => {
    const owners = new Set<string>();
    return {
      tryAcquire(claim, wake) {
        owners.add(claim.owner);
        return inner.tryAcquire(claim, wake);
      },
      renew: async (claim, token) => owners.has(claim.owner) && (await inner.renew(claim, token)),
    };
  },
};

test.each(Object.entries(spoiled))('a provider that %s is found', async (_name, spoil) => {
  const { create, ...options } = memoryInVirtualTime(1_000);
  const found = differentialTest({
    ...options,
    create: (rules) => {
      const inner = create(rules);
      return { ...bound(inner), ...spoil(inner) };
    },
  });
  await assert.rejects(found, /answers otherwise than the rules of a key/);
});

/** Providers whose replies are lost. `then`: what becomes of a claim whose reply was. */
function withLostReplies(then: (inner: LockProvider, claim: Claim) => Promise<unknown>): DifferentialOptions {
  const { create, ...options } = memoryInVirtualTime(300);
  return {
    ...options,
    // The order of a batch is not known then.
    abandonedAtMost: 0.2,
    create(rules) {
      const inner = create(rules);
      let isLost = false;
      const answered = async <T>(claim: Claim, answer: Promise<T>): Promise<T> => {
        await answer;
        if (!isLost) return await answer;
        isLost = false;
        await then(inner, claim);
        throw new LockError('LOCK_UNAVAILABLE', 'The reply was lost.');
      };
      const provider: LockProvider = {
        ...bound(inner),
        tryAcquire: (claim, wake) => answered(claim, inner.tryAcquire(claim, wake)),
        release: (claim) => answered(claim, inner.release(claim)),
      };
      return { create: async () => provider, faults: { dropReply: async () => void (isLost = true) } };
    },
  };
}

test('a call whose reply is lost is repeated, and its repeat is compared', async () => {
  const { agreed } = await differentialTest(withLostReplies(async () => {}));
  expect(agreed).toBeGreaterThan(240);
  const found = differentialTest(withLostReplies((inner, claim) => inner.release(claim)));
  await assert.rejects(found, /fault dropReply[^]*the rules have it otherwise/);
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
    create: (rules) => {
      const provider = create(rules);
      provider.inspect = () => Promise.reject(new LockError('LOCK_UNAVAILABLE', 'The store is away.'));
      return provider;
    },
  });
  await assert.rejects(slow, /expected fewer of the 20 sequences of memory to be abandoned/);
});
