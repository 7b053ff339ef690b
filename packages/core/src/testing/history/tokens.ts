import type { Claim, Granted } from './claims.ts';
import { holdOf, isGranted } from './claims.ts';
import type { Violation } from './events.ts';
import { groupBy } from './group-by.ts';

/**
 * No token is granted twice, and each exceeds those of all earlier grants that it conflicts with.
 * Of two claims that certainly held, the one that held first was granted first. Of others this is
 * certain if one was granted before the other was called. `sharersMayTie`: sharers hold together,
 * and may have the same token.
 */
export function* checkTokens(claims: readonly Claim[], sharersMayTie: boolean): Iterable<Violation> {
  // A store that lost writes may not know who was granted the key since the lease that continues.
  const isOld = ({ call, forgottenAt }: Claim): boolean => call.continues !== undefined && forgottenAt !== undefined;
  const granted = claims.filter(isGranted).filter((claim) => claim.era !== undefined && !isOld(claim));
  for (const ofKey of groupBy(granted, ({ call, era }) => `${era} ${call.key}`).values()) {
    const key = ofKey[0]?.call.key ?? '';
    yield* checkUnique(
      key,
      ofKey.filter(({ call }) => call.continues === undefined && (!sharersMayTie || call.mode === 'exclusive')),
    );
    yield* checkOrder(key, ofKey);
    yield* checkCalls(key, ofKey);
  }
}

function* checkUnique(key: string, claims: readonly Granted[]): Iterable<Violation> {
  const owners = new Map<bigint, Granted>();
  for (const claim of claims) {
    const other = owners.get(claim.token);
    const message = `token ${claim.token} of "${key}" was granted twice: ${other?.id} and ${claim.id}`;
    if (other !== undefined) yield { rule: 'tokens', at: claim.grantedAt, ids: [other.id, claim.id], message };
    owners.set(claim.token, claim);
  }
}

/** Claims that certainly held, in the order of their grants. */
function* checkOrder(key: string, claims: readonly Granted[]): Iterable<Violation> {
  const highest = createHighest();
  const certain = claims.filter((claim) => holdOf(claim) !== undefined);
  for (const claim of certain.toSorted((one, other) => one.grantedAt - other.grantedAt)) {
    yield* wentBack(key, highest.conflicting(claim), claim);
    highest.add(claim);
  }
}

/** Any claims, of which one was granted before the other was called. */
function* checkCalls(key: string, claims: readonly Granted[]): Iterable<Violation> {
  const highest = createHighest();
  const byGrant = claims.toSorted((one, other) => one.grantedAt - other.grantedAt);
  let next = 0;
  for (const claim of claims) {
    for (let other = byGrant[next]; other !== undefined && other.grantedAt < claim.calledAt; other = byGrant[next]) {
      highest.add(other);
      next += 1;
    }
    yield* wentBack(key, highest.conflicting(claim), claim);
  }
}

function* wentBack(key: string, earlier: Granted | undefined, claim: Granted): Iterable<Violation> {
  if (earlier === undefined || earlier.token <= claim.token) return;
  const message = `a token of "${key}" decreased: ${claim.token} of ${claim.id} after ${earlier.token} of ${earlier.id}`;
  yield { rule: 'tokens', at: claim.grantedAt, ids: [earlier.id, claim.id], message };
}

/** The highest tokens so far, of exclusive claims and of all. */
function createHighest() {
  let exclusive: Granted | undefined;
  let any: Granted | undefined;
  const higher = (one: Granted | undefined, other: Granted): Granted =>
    one === undefined || other.token > one.token ? other : one;
  return {
    add(claim: Granted): void {
      any = higher(any, claim);
      if (claim.call.mode === 'exclusive') exclusive = higher(exclusive, claim);
    },
    conflicting: (claim: Granted): Granted | undefined => (claim.call.mode === 'exclusive' ? any : exclusive),
  };
}
