import type { Busy, Claim, Grant, LockProvider } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import type { Hold, KeyCall } from '@locks/core/adapter';
import { inWords } from './compare.ts';
import type { Action, Party } from './plan.ts';

/** A party of a sequence, as its process knows it. */
export interface RunningParty extends Omit<Party, 'process'> {
  readonly owner: string;
  readonly wake: () => void;
  /** Another one after a transfer of its lease. */
  process: number;
  woken: boolean;
  /** Its last attempt was answered busy, and it waits. */
  waits: boolean;
  /** Of its last grant: the session has ended. */
  lost: AbortSignal | undefined;
  /** It has released, so its owner is not used again. */
  gone: boolean;
}

export function runningParty(planned: Party, owner: string): RunningParty {
  const wake = (): void => void (party.woken = true);
  const party: RunningParty = {
    ...planned,
    owner,
    wake,
    woken: false,
    waits: false,
    lost: undefined,
    gone: false,
  };
  return party;
}

/** The claim of a party, with `more` instead of its wish. */
export function claimOf({ owner, ttl, wish }: RunningParty, key: string, more: Partial<Claim>): Claim {
  const { mode, permits, ...others } = { ...wish, ...more };
  return {
    key,
    owner,
    ttl,
    mode,
    ...(mode === 'shared' && permits !== undefined && { permits }),
    ...others,
  };
}

/** The call, in a store where a session ends holds, and no ttl does. */
export function lastingCall(call: KeyCall): KeyCall {
  return call.op === 'inspect' ? call : { ...call, claim: { ...call.claim, ttl: Infinity } };
}

export type ClaimAction = Action & { readonly op: 'acquire' | 'renew' | 'release' };

type ClaimCall = KeyCall & { readonly op: ClaimAction['op'] };

/** The call of a claim in a batch. */
export function batched(op: ClaimAction['op'], who: number, { ttl }: Party): ClaimAction {
  if (op === 'acquire') return { op, who, waits: true, floor: undefined, converts: false };
  if (op === 'renew') return { op, who, ttl, token: undefined };
  return { op, who, via: undefined };
}

/** The call of a claim with this hold. `undefined`: core would not make it. */
export function callOf(
  action: ClaimAction,
  party: RunningParty,
  key: string,
  hold: Hold | undefined,
  highest: number,
): ClaimCall | undefined {
  // Core uses no owner again after its release, and renews only what an attempt returned.
  if (party.gone || (action.op === 'renew' && (hold?.assigned ?? party.waits))) return undefined;
  if (action.op === 'acquire') {
    const floor = action.floor === undefined ? {} : { floor: BigInt(Math.max(0, highest + action.floor)) };
    const terms = action.converts && hold?.assigned === false ? otherMode(hold, party) : party.wish;
    const contact = action.waits ? party.owner : undefined;
    return { op: 'acquire', claim: claimOf(party, key, { ...terms, ...floor }), contact };
  }
  const claim = claimOf(party, key, hold === undefined ? {} : termsOf(hold));
  if (action.op === 'release') return { op: 'release', claim };
  const own = hold?.token ?? highest;
  const token = action.token === undefined || own === 0 ? undefined : BigInt(own + action.token);
  return { op: 'renew', claim: { ...claim, ttl: action.ttl }, token };
}

/** Sends the result of `callOf`. */
export async function sendCall(provider: LockProvider, call: ClaimCall, party: RunningParty): Promise<unknown> {
  if (call.op === 'renew') return await provider.renew(call.claim, call.token);
  if (call.op === 'release') return await provider.release(call.claim);
  return await provider.tryAcquire(call.claim, call.contact === undefined ? undefined : party.wake);
}

function termsOf({ mode, permits }: Hold): Partial<Claim> {
  return { mode, ...(permits !== undefined && { permits }) };
}

function otherMode({ mode }: Hold, { wish }: RunningParty): Partial<Claim> {
  if (mode === 'shared') return { mode: 'exclusive' };
  return { mode: 'shared', permits: wish.permits ?? 2 };
}

export function isGrant(answer: unknown): answer is Grant {
  return (answer as Grant | undefined)?.granted === true;
}

/** The ttl that the call sets, in ms. */
export function ttlOf({ call }: { readonly call: KeyCall }): number {
  return call.op === 'acquire' || call.op === 'renew' ? call.claim.ttl : Infinity;
}

/**
 * An answer that decides nothing: none, or that of `createQueue` to a claim that has to poll, as no
 * subscription opened in time.
 */
export function decidesNothing(answer: unknown, waiterTtl: number): boolean {
  return (
    isLockError(answer, 'LOCK_UNAVAILABLE') || (answer as Partial<Busy> | undefined)?.retryAfter === waiterTtl / 24
  );
}

export function tokenOf(answer: unknown): number {
  return isGrant(answer) ? Number(answer.token) : 0;
}

export function traceOf(call: KeyCall, of: number, party: RunningParty | undefined): string {
  if (call.op === 'inspect') return `${call.op} key ${of}`;
  const { owner, key: _, ...claim } = call.claim;
  const [name] = owner.split('/');
  const waits = call.op === 'acquire' && call.contact !== undefined ? ' with wake' : '';
  const token = call.op === 'renew' && call.token !== undefined ? ` with token ${call.token}` : '';
  return `${call.op} ${name} of process ${party?.process} on key ${of} ${inWords(claim)}${waits}${token}`;
}
