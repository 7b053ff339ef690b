import { setImmediate as turn } from 'node:timers/promises';
import { sound } from './textbook.ts';
import { shown, withRules, wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';
import { ids } from '../support/mutants.ts';

/** The permits that each owner asked for: owners are used once. */
const permitsOf = new Map<string, number | undefined>();

export const sharing: readonly Flaw[] = [
  {
    name: 'one permit too many',
    caughtBy: ['permits-admit-exactly', 'permits-in-contention'],
    mayAlsoFail: ids('repeat-shared downgrade-keeps-the-hold locks-shared permits-own-number'),
    make: withRules({
      admits: (entry, { mode, permits = Infinity }) => sound.admits(entry, { mode, permits: permits + 1 }),
    }),
  },
  {
    name: 'sharers do not exclude a writer',
    caughtBy: ['shared-together', 'shared-excludes-writers'],
    mayAlsoFail: ids('renew-restarts-ttl expiry-* downgrade-*', 'names-odd locks-shared fair-*'),
    make: withRules({
      admits: (entry, { mode, permits }) =>
        mode === 'exclusive'
          ? !entry.holds.some((hold) => hold.mode === 'exclusive')
          : sound.admits(entry, { mode, permits }),
    }),
  },
  {
    name: 'a sharer that renews prolongs the other shares too',
    caughtBy: ['renew-own-share'],
    make: withRules({
      renew: (_hold, claim, now, { holds }) => {
        for (const hold of holds) hold.expires = now + claim.ttl;
      },
    }),
  },
  {
    name: 'a sharer that repeats its claim prolongs the other shares too',
    caughtBy: ['renew-own-share'],
    make: withRules({
      repeat: (own, claim, now, entry) => {
        sound.repeat(own, claim, now, entry);
        for (const hold of entry.holds) hold.expires = own.expires;
      },
    }),
  },
  {
    name: 'a claim goes by the number of permits that the first sharer has',
    caughtBy: ['permits-own-number'],
    make: withRules({
      admits: (entry, { mode, permits }) => sound.admits(entry, { mode, permits: entry.holds[0]?.permits ?? permits }),
    }),
  },
  {
    name: 'the lowest number of permits among the sharers is the limit',
    caughtBy: ['permits-own-number'],
    make: withRules({
      admits: (entry, { mode, permits = Infinity }) => {
        const numbers = entry.holds.map((hold) => hold.permits ?? Infinity);
        return sound.admits(entry, { mode, permits: Math.min(permits, ...numbers) });
      },
    }),
  },
  {
    name: 'inspect tells no permits',
    caughtBy: ['inspect-sharers'],
    make: shown((state) => {
      const holders = state.holders.map((holder) => {
        const { permits: _, ...rest } = holder;
        return rest;
      });
      return { ...state, holders };
    }),
  },
  {
    name: 'more than 2^30 permits are none',
    caughtBy: ['inspect-sharers'],
    make: withRules({
      admits: (entry, { mode, permits = Infinity }) =>
        (permits === Infinity || permits <= 2 ** 30) && sound.admits(entry, { mode, permits }),
    }),
  },
  {
    name: 'a repeat by a sharer takes another permit',
    caughtBy: ['repeat-shared'],
    mayAlsoFail: ['downgrade-keeps-the-hold', 'renew-own-share'],
    make: withRules({
      repeat: (hold, claim, now, entry) => {
        sound.repeat(hold, claim, now, entry);
        if (claim.mode === 'shared') entry.holds.push({ ...hold });
      },
    }),
  },
  {
    name: 'a release of a share needs the number of permits that it was asked with',
    caughtBy: ['release-forced-share'],
    make: wrapped((inner) => ({
      tryAcquire: (claim, wake) => {
        permitsOf.set(claim.owner, claim.permits);
        return inner.tryAcquire(claim, wake);
      },
      release: async (claim) => permitsOf.get(claim.owner) === claim.permits && (await inner.release(claim)),
    })),
  },
  {
    name: 'a downgrade is a release and an attempt',
    caughtBy: ['downgrade-without-a-gap', 'downgrade-keeps-the-hold'],
    mayAlsoFail: ['downgrade-admits-sharers'],
    make: wrapped((inner) => ({
      async tryAcquire(claim, wake) {
        if (claim.mode === 'exclusive') return await inner.tryAcquire(claim, wake);
        const { holders } = await inner.inspect(claim.key);
        if (holders.some(({ owner, mode }) => owner === claim.owner && mode === 'exclusive')) {
          await inner.release(claim);
          await turn();
        }
        return await inner.tryAcquire(claim, wake);
      },
    })),
  },
  {
    name: 'a downgrade answers a grant and changes nothing',
    caughtBy: ['downgrade-keeps-the-hold', 'downgrade-admits-sharers'],
    make: withRules({
      repeat: (hold, claim, now, entry) => {
        const { mode } = hold;
        sound.repeat(hold, claim, now, entry);
        hold.mode = mode;
      },
    }),
  },
  {
    name: 'a shared hold becomes exclusive when it asks for it',
    caughtBy: ['upgrade-refused'],
    make: withRules({
      repeat: (hold, claim, now) => {
        hold.mode = claim.mode;
        hold.permits = claim.permits;
        hold.expires = now + claim.ttl;
      },
    }),
  },
  {
    name: 'it can share, but declares that it cannot',
    caughtBy: ['shared-refused'],
    make: wrapped(({ traits }) => ({ traits: { ...traits, shared: false } })),
  },
];
