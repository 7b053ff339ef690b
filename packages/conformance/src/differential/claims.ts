import type { Claim, Grant, LockProvider } from '@locks/core';
import type { Hold, KeyCall } from '@locks/core/adapter';
import { inWords } from './compare.ts';
import type { Party } from './plan.ts';

/** A party of a sequence, as its process knows it. */
export interface RunningParty extends Party {
  readonly owner: string;
  readonly provider: LockProvider;
  readonly wake: () => void;
  woken: boolean;
  /** Its last attempt was answered busy, and said that it waits. */
  waits: boolean;
  /** It has released, so its owner is not used again. */
  gone: boolean;
}

/** The claim of a party, with what `more` has instead of its wish. */
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

/** A hold as its claim has it now. */
export function termsOf({ mode, permits }: Hold): Partial<Claim> {
  return { mode, ...(permits !== undefined && { permits }) };
}

export function otherMode({ mode }: Hold, { wish }: RunningParty): Partial<Claim> {
  if (mode === 'shared') return { mode: 'exclusive' };
  return { mode: 'shared', permits: wish.permits ?? 2 };
}

export function isGrant(answer: unknown): answer is Grant {
  return (answer as Grant | undefined)?.granted === true;
}

export function tokenOf(answer: unknown): number {
  return isGrant(answer) ? Number(answer.token) : 0;
}

export function traceOf(call: KeyCall): string {
  if (call.op === 'inspect') return call.op;
  const { owner, key: _, ...claim } = call.claim;
  const [name] = owner.split('/');
  const waits = call.op === 'acquire' && call.contact !== undefined ? ' with wake' : '';
  const token = call.op === 'renew' && call.token !== undefined ? ` with token ${call.token}` : '';
  return `${call.op} ${name} ${inWords(claim)}${waits}${token}`;
}
