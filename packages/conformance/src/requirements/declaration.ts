import assert from 'node:assert/strict';
import { show } from '../checks/expect.ts';
import type { Requirement } from '../requirement.ts';
import { rules } from './rules.ts';
import type { LockProvider } from '@locks/core';
import { now, sleep } from '../checks/time.ts';

const choices = {
  scope: ['process', 'host', 'network'],
  expiry: ['ttl', 'observed', 'session'],
  fencing: ['strict', 'clock-bounded', 'none'],
  fair: [true, false],
  shared: [true, false],
  wake: [true, false],
} as const;

/** 2020-01-01 in UTC, in ms since 1970. */
const earliest = 1_577_836_800_000;

/** What a provider declares about itself. */
export const declarationRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'declaration' })({
  'declares-traits': {
    title: 'name and traits exist, are valid, and are the same for every provider that create returns',
    async check(_context, one, two) {
      const named = typeof one.name === 'string' && one.name.length > 0;
      assert.ok(named, `expected a name, got ${show(one.name)}`);
      for (const [trait, allowed] of Object.entries(choices)) {
        const value: unknown = one.traits[trait as keyof typeof choices];
        const sound = (allowed as readonly unknown[]).includes(value);
        assert.ok(sound, `expected the trait ${trait} to be one of ${show(allowed)}, got ${show(value)}`);
      }
      assert.deepEqual(
        two.traits,
        one.traits,
        `expected all providers to declare the same, got ${show(one.traits)} and ${show(two.traits)}`,
      );
    },
  },
  // The clock of the store, which all its clients share.
  'time-of-store': {
    title: 'time returns the ms since 1970 by a running clock that all providers of the store share',
    when: ['time'],
    async check(context) {
      const providers = await context.createMany(2);
      const first = await read(providers[0]);
      await sleep(context.ttl / 2);
      for (const provider of providers) {
        const next = await read(provider);
        const [least, most] = [next.sentAt - first.answeredAt, next.answeredAt - first.sentAt];
        const passed = next.time - first.time;
        assert.ok(
          // A ms is lost in rounding. Clocks of two machines differ in rate.
          passed >= least * 0.9 - 2 && passed <= most * 1.1 + 2,
          `expected the clock to move by ${Math.round(least)} to ${Math.round(most)} ms between two looks, it moved by ${passed} ms`,
        );
      }
    },
  },
});

async function read(
  provider: LockProvider,
): Promise<{ readonly time: number; readonly sentAt: number; readonly answeredAt: number }> {
  const sentAt = now();
  const time = await provider.time?.();
  const answeredAt = now();
  assert.ok(
    typeof time === 'number' && time >= earliest && time < 2 * earliest,
    `expected the ms since 1970 from time, got ${String(time)}`,
  );
  return { time, sentAt, answeredAt };
}
