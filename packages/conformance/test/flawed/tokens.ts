import { sound } from './textbook.ts';
import type { Rules } from './textbook.ts';
import { withRules, wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';
import { ids } from '../support/mutants.ts';

/** A repeat by a holder that gets another token. */
export const mintingRepeat: Rules['repeat'] = (hold, claim, now, entry) => {
  sound.repeat(hold, claim, now, entry);
  entry.token += 1n;
  hold.token = entry.token;
};

export const tokens: readonly Flaw[] = [
  {
    name: 'counter reset on release: it starts again when the key is free',
    caughtBy: ['token-increases'],
    mayAlsoFail: ['stale-*', 'renew-raises-token', 'token-*'],
    make: withRules({ afterRelease: (entry) => void (entry.holds.length === 0 && (entry.token = 0n)) }),
  },
  {
    name: 'the counter is forgotten with an expired hold',
    caughtBy: ['expiry-on-time', 'expiry-ends-the-hold'],
    make: withRules({ afterExpiry: (entry) => void (entry.holds.length === 0 && (entry.token = 0n)) }),
  },
  {
    name: 'one token per key, not per grant',
    caughtBy: ['token-increases', 'token-of-sharers', 'stale-after-takeover'],
    mayAlsoFail: ['stale-*', 'renew-raises-token', 'token-*'],
    make: withRules({ mint: ({ token }, floor) => (token > floor ? token : floor + 1n) }),
  },
  {
    name: 'a repeat mints a token',
    caughtBy: ['repeat-same-token'],
    mayAlsoFail: ids('repeat-shared renew-raises-token downgrade-keeps-the-hold', 'upgrade-refused token-exact'),
    make: withRules({ repeat: mintingRepeat }),
  },
  {
    name: 'a repeat with a higher floor mints a token',
    caughtBy: ['repeat-keeps-token-below-floor'],
    make: withRules({
      repeat: (hold, claim, now, entry) => {
        sound.repeat(hold, claim, now, entry);
        if (claim.floor === undefined || claim.floor < hold.token) return;
        entry.token = sound.mint(entry, claim.floor);
        hold.token = entry.token;
      },
    }),
  },
  {
    name: 'sharers get the token of the first of them',
    caughtBy: ['token-of-sharers'],
    make: withRules({ mint: (entry, floor) => (entry.holds.length > 0 ? entry.token : sound.mint(entry, floor)) }),
  },
  {
    name: 'the floor is ignored',
    caughtBy: ['token-floor', 'token-floor-in-queue'],
    mayAlsoFail: ['token-exact', 'token-end'],
    make: withRules({ mint: (entry) => sound.mint(entry, 0n) }),
  },
  {
    name: 'a claim that waits keeps the floor of its first attempt',
    caughtBy: ['token-floor-in-queue'],
    make: wrapped((inner) => {
      const floors = new Map<string, bigint>();
      return {
        tryAcquire(claim, wake) {
          const floor = floors.get(claim.owner) ?? claim.floor ?? 0n;
          floors.set(claim.owner, floor);
          return inner.tryAcquire({ ...claim, floor }, wake);
        },
      };
    }),
  },
  {
    name: 'the floor is taken as the token',
    caughtBy: ['token-floor', 'token-floor-in-queue'],
    mayAlsoFail: ['token-exact', 'token-end'],
    make: withRules({ mint: (entry, floor) => (floor > entry.token ? floor : entry.token + 1n) }),
  },
  {
    name: 'tokens are read as numbers, which are rounded near 2^53',
    caughtBy: ['token-exact'],
    mayAlsoFail: ['token-end'],
    make: wrapped((inner) => ({
      async tryAcquire(claim, wake) {
        const answer = await inner.tryAcquire(claim, wake);
        return answer.granted ? { ...answer, token: BigInt(Number(answer.token) + 200 - 200) } : answer;
      },
    })),
  },
  {
    name: 'the token after 2^53 is the same again',
    caughtBy: ['token-end'],
    make: withRules({
      mint: ({ token }, floor) => BigInt(Number(sound.mint({ holds: [], queue: [], token }, floor))),
    }),
  },
  {
    name: 'renew ignores its token',
    caughtBy: ['renew-raises-token'],
    make: wrapped((inner) => ({ renew: (claim) => inner.renew(claim) })),
  },
  {
    name: 'renew accepts a token below its own',
    caughtBy: ['renew-raises-token'],
    make: wrapped((inner) => ({
      renew: async (claim, token) => (await inner.renew(claim, token)) || inner.renew(claim),
    })),
  },
];
