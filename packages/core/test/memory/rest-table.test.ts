import { describe, expect, it } from 'vitest';
import { createLocks, createMemoryProvider, createMemoryStore } from '../../src/index.ts';
import type { Lease, Locks } from '../../src/index.ts';
import { breakable } from '../support/breakable.ts';
import type { Breakable } from '../support/breakable.ts';
import { watch } from '../support/setting.ts';
import { VirtualRuntime } from '../support/virtual-runtime.ts';

/** A lease in one process, and another process that waits for its key. */
interface Scene {
  readonly runtime: VirtualRuntime;
  readonly provider: Breakable;
  readonly one: Locks;
  readonly two: Locks;
  readonly lease: Lease;
}

/** One row of the table in docs/objects/cooldown.md. */
interface Row {
  readonly options?: { readonly maxHold?: number };
  /** What happens 1 000 ms after the grant. The lease is not renewed. */
  readonly end: (scene: Scene) => Promise<unknown>;
  /** When the lease is not held any more, in ms from the grant. */
  readonly validUntil: number;
  /** When the key is free, in ms from the grant. */
  readonly closedUntil: (rest: { readonly atLeast: number; readonly lockDelay: number }) => number;
}

const ttl = 2_000;
/** The validity of a ttl: 1 % and 2 ms less. */
const validity = 1_978;

const rows: Readonly<Record<string, Row>> = {
  release: {
    end: ({ lease }) => lease.release(),
    validUntil: 1_000,
    closedUntil: ({ atLeast }) => Math.max(1_000, atLeast),
  },
  'the process dies': {
    end: async ({ provider }) => void (provider.down = true),
    validUntil: validity,
    closedUntil: ({ atLeast, lockDelay }) => Math.max(ttl + lockDelay, atLeast),
  },
  'no renewal comes in time': {
    end: async () => {},
    validUntil: validity,
    closedUntil: ({ atLeast, lockDelay }) => Math.max(validity + lockDelay, atLeast),
  },
  'maxHold is over': {
    options: { maxHold: 1_000 },
    end: async () => {},
    validUntil: 1_000,
    closedUntil: ({ atLeast, lockDelay }) => Math.max(1_000 + lockDelay, atLeast),
  },
  'the store says that it is gone': {
    end: async ({ two, lease }) => {
      await two.forceRelease({ key: 'key', owner: lease.owner, mode: 'exclusive' });
      await lease.renew().catch(() => {});
    },
    validUntil: 1_000,
    closedUntil: () => 1_000,
  },
  close: {
    end: ({ one }) => one.close(),
    validUntil: 1_000,
    closedUntil: ({ atLeast, lockDelay }) => Math.max(1_000 + lockDelay, atLeast),
  },
  'transfer, to a process that releases it': {
    async end({ two, lease }) {
      const resumed = await two.resume(await lease.transfer());
      expect(await resumed.release()).toBe(true);
    },
    validUntil: 1_000,
    closedUntil: ({ atLeast }) => Math.max(1_000, atLeast),
  },
  'transfer, to a process that dies': {
    end: ({ lease }) => lease.transfer(),
    validUntil: 1_000,
    closedUntil: ({ atLeast, lockDelay }) => Math.max(1_000 + ttl + lockDelay, atLeast),
  },
};

const rests = [
  { atLeast: 0, lockDelay: 0 },
  { atLeast: 500, lockDelay: 0 },
  { atLeast: 9_000, lockDelay: 0 },
  { atLeast: 0, lockDelay: 3_000 },
  { atLeast: 500, lockDelay: 3_000 },
  { atLeast: 9_000, lockDelay: 3_000 },
  { atLeast: 1_500, lockDelay: 300 },
];

const cells = Object.entries(rows).flatMap(([name, row]) =>
  rests.map((rest) => ({ name, row, rest, options: JSON.stringify(rest) })),
);

describe('when the lease ends, and when its key is free', () => {
  it.each(cells)('$name: $options', async ({ row, rest }) => {
    const runtime = new VirtualRuntime();
    const store = createMemoryStore({ runtime });
    const provider = breakable(createMemoryProvider({ store }));
    const one = createLocks(provider, { ttl, runtime });
    const two = createLocks(createMemoryProvider({ store }), { ttl, runtime });
    const start = runtime.time;
    const lease = await one.acquire('key', { renew: false, ...rest, ...row.options });
    const next = watch(two.acquire('key'), runtime);
    await runtime.advance(999);
    expect(lease.held).toBe(true);
    await runtime.advance(1);
    const ending = watch(row.end({ runtime, provider, one, two, lease }));
    await runtime.advance(1);
    if (row.validUntil > 1_000) {
      await runtime.advance(row.validUntil - (runtime.time - start) - 1);
      expect(lease.held).toBe(true);
      await runtime.advance(1);
    }
    expect(lease.held).toBe(false);
    await runtime.advance(30_000);
    expect([ending.state, next.state]).toEqual(['fulfilled', 'fulfilled']);
    const closed = (next.at ?? 0) - start;
    const expected = row.closedUntil(rest);
    // The rest of atLeast counts 99 % of the time that has passed.
    expect(closed).toBeGreaterThanOrEqual(expected);
    expect(closed).toBeLessThanOrEqual(expected + 0.01 * row.validUntil + 3);
  });
});
