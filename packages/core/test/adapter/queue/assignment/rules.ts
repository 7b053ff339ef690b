import { lastsFor } from '../../../../src/adapter/queue/assignment.ts';
import type { Claim } from '../../../../src/contract.ts';
import type { Rules } from './world.ts';

/** One tick, in ms. */
const tick = 1_000;

/** The rules of the queue. The clocks of the model run at one rate. */
export const rules: Rules = {
  lastsFor({ token, sentAt, validity }, { now }, _process, ttl) {
    const claim: Claim = { key: 'job', owner: 'a/1', ttl: ttl * tick, mode: 'exclusive' };
    const left = lastsFor({ token, sentAt: sentAt * tick, validity: validity * tick }, claim, now * tick);
    return left === undefined ? undefined : Math.round(left / tick);
  },
  assignedTtl: (ttl, left) => Math.min(ttl, left),
  tokenTold: (minted) => minted,
  releaseFrees: true,
  countsFromBusy: false,
  repeatRestarts: true,
  guardsAssignments: true,
};

/**
 * The same, with grants that count at any age. So small ttls show what the small part of the ttl
 * hides.
 */
export const atAnyAge: Rules = {
  ...rules,
  lastsFor(grant, { now }, _process, ttl) {
    const left = grant.sentAt + Math.min(grant.validity, ttl) - now;
    return left > 0 ? left : undefined;
  },
};

export const weaker = {
  /** A grant lasts for a ttl from the arrival of its message. */
  countsFromMessage: { ...atAnyAge, lastsFor: ({ validity }) => validity },
  /** It lasts for a ttl from the last attempt that was answered busy. */
  countsFromBusy: {
    ...atAnyAge,
    countsFromBusy: true,
    lastsFor({ validity }, { now }, { busySince }) {
      const left = busySince + validity - now;
      return left > 0 ? left : undefined;
    },
  },
  neverLapses: { ...rules, assignedTtl: () => Infinity },
  /** It lasts for a whole ttl from when it is made, and not for as long as the place would have. */
  lapsesLate: { ...rules, assignedTtl: (ttl) => ttl },
  /** The message tells the token of the holder before. */
  tokenOfAnother: { ...rules, tokenTold: (_minted, before) => before },
  keepsReleased: { ...rules, releaseFrees: false },
  doesNotRestart: { ...rules, repeatRestarts: false },
  assignsGuarded: { ...rules, guardsAssignments: false },
} satisfies Readonly<Record<string, Rules>>;
