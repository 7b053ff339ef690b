import assert from 'node:assert/strict';
import { show } from '../checks/expect.ts';
import type { Requirement } from '../requirement.ts';
import { rules } from './rules.ts';

const choices = {
  scope: ['process', 'host', 'network'],
  expiry: ['ttl', 'observed', 'session'],
  fencing: ['strict', 'clock-bounded', 'none'],
  fair: [true, false],
  shared: [true, false],
  wake: [true, false],
} as const;

/** What a provider says about itself. */
export const declarationRequirements: readonly Requirement[] = rules({ level: 'provider', about: 'declaration' })({
  'declares-traits': {
    title: 'name and traits are there, sound, and the same for every provider that create gives',
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
});
