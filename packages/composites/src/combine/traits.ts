import type { LockProvider, Traits } from '@locks/core';
import { fencings, scopes } from '@locks/core/composite';
import type { CombineRules } from './options.ts';

type Rules = Pick<CombineRules, 'need' | 'fencing'>;

/** The traits of a composite, from those of its members. */
export function combinedTraits(members: readonly Pick<LockProvider, 'traits'>[], { need, fencing }: Rules): Traits {
  const traits = members.map((member) => member.traits);
  const all = need === members.length;
  const ofTtl = traits.filter(({ expiry }) => expiry === 'ttl').length;
  const observed = traits.filter(({ expiry }) => expiry === 'observed').length;
  const strengths = traits.map((each) => fencings.indexOf(each.fencing));
  // All: each later holder passes each member. Majority: two holders may share only one member.
  const strength = all ? Math.max(...strengths) : Math.min(...strengths);
  return {
    scope: scopes[Math.min(...traits.map(({ scope }) => scopes.indexOf(scope)))] ?? 'process',
    expiry: ofTtl >= need ? 'ttl' : ofTtl + observed >= need ? 'observed' : 'session',
    fencing: fencing ? (fencings[strength] ?? 'none') : 'none',
    fair: traits.every(({ fair }) => fair),
    shared: all && traits.every(({ shared }) => shared),
    wake: traits.every(({ wake }) => wake),
  };
}
