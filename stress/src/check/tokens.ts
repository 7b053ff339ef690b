import type { Claim, Granted } from './claims.ts';
import { holdOf, isGranted } from './claims.ts';
import { groupBy } from './group-by.ts';

/**
 * No token is given twice, and each exceeds those of all earlier grants that it conflicts with. Of
 * two claims that certainly held, the one that held first was granted first. Of others it is
 * certain if one was granted before the other was called. `sharersMayTie`: sharers hold together,
 * and may have the same token.
 */
export function* checkTokens(claims: readonly Claim[], sharersMayTie = false): Iterable<string> {
  const granted = claims.filter(isGranted);
  for (const [key, ofKey] of groupBy(granted, ({ ask }) => ask.key)) {
    yield* checkUnique(
      key,
      ofKey.filter(({ ask }) => !sharersMayTie || ask.mode === 'exclusive'),
    );
    yield* checkOrder(key, ofKey);
    yield* checkCalls(key, ofKey);
  }
}

function* checkUnique(key: string, claims: readonly Granted[]): Iterable<string> {
  const owners = new Map<bigint, Granted>();
  for (const claim of claims) {
    const other = owners.get(claim.token);
    if (other !== undefined) yield `token ${claim.token} of "${key}" was given twice: ${other.id} and ${claim.id}`;
    owners.set(claim.token, claim);
  }
}

/** Claims that certainly held, in the order of their grants. */
function* checkOrder(key: string, claims: readonly Granted[]): Iterable<string> {
  const highest = createHighest();
  const certain = claims.filter((claim) => holdOf(claim) !== undefined);
  for (const claim of certain.toSorted((one, other) => one.grantedAt - other.grantedAt)) {
    const earlier = highest.conflicting(claim);
    if (earlier !== undefined && earlier.token > claim.token) yield wentBack(key, earlier, claim);
    highest.add(claim);
  }
}

/** Any claims, of which one was granted before the other was called. */
function* checkCalls(key: string, claims: readonly Granted[]): Iterable<string> {
  const highest = createHighest();
  const byGrant = claims.toSorted((one, other) => one.grantedAt - other.grantedAt);
  let next = 0;
  for (const claim of claims) {
    for (let other = byGrant[next]; other !== undefined && other.grantedAt < claim.calledAt; other = byGrant[next]) {
      highest.add(other);
      next += 1;
    }
    const earlier = highest.conflicting(claim);
    if (earlier !== undefined && earlier.token > claim.token) yield wentBack(key, earlier, claim);
  }
}

function wentBack(key: string, earlier: Granted, claim: Granted): string {
  return `a token of "${key}" went back: ${claim.token} of ${claim.id} after ${earlier.token} of ${earlier.id}`;
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
      if (claim.ask.mode === 'exclusive') exclusive = higher(exclusive, claim);
    },
    conflicting: (claim: Granted): Granted | undefined => (claim.ask.mode === 'exclusive' ? any : exclusive),
  };
}
