import type { Claim, LockProvider } from '../contract.ts';
import type { Refusal } from '../key/admission.ts';
import { LockError } from './lock-error.ts';

/**
 * What every provider answers a sharer whose number of permits is not the one in use; `undefined`
 * is unlimited.
 */
export function permitsRefused({ key, permits }: Pick<Claim, 'key' | 'permits'>, inUse: number | undefined): LockError {
  const [has, wants] = [inUse ?? 'unlimited', permits ?? 'unlimited'];
  const message = `${JSON.stringify(key)} is shared with ${has} permits; ${wants} were asked for. All claims on a key need the same number.`;
  return new LockError('LOCK_INVALID', message, { key });
}

/** What every provider answers a sharer that asks for the key exclusively. */
export function upgradeRefused({ key, owner }: Pick<Claim, 'key' | 'owner'>): LockError {
  const message = `${JSON.stringify(key)} is held shared by ${owner} and cannot become exclusive: release it first.`;
  return new LockError('LOCK_INVALID', message, { key });
}

/** A lease of a provider without shared mode was to become shared. */
export function sharingRefused({ name }: LockProvider, { key }: Pick<Claim, 'key'>): LockError {
  const message = `The lease on ${JSON.stringify(key)} cannot become shared: the ${name} provider has no shared mode (trait "shared").`;
  return new LockError('LOCK_INVALID', message, { key });
}

/** What a provider whose tokens end at 2^53 answers a claim that needs a higher one. */
export function tokensEnded({ key }: Pick<Claim, 'key'>): LockError {
  const message = `The tokens of ${JSON.stringify(key)} have reached 2^53, where they end: floors must be lower. Use another key.`;
  return new LockError('LOCK_INVALID', message, { key });
}

/** The error for what the rules of a key refuse. */
export function refusalOf({ refused, inUse }: Refusal, claim: Claim): LockError {
  if (refused === 'permits') return permitsRefused(claim, inUse);
  return refused === 'upgrade' ? upgradeRefused(claim) : tokensEnded(claim);
}
