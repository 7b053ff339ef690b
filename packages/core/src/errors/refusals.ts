import type { Claim, LockProvider } from '../contract.ts';
import type { Refusal } from '../key/admission.ts';
import { LockError } from './lock-error.ts';

/** The answer of every provider to a sharer that asks for the key exclusively. */
export function upgradeRefused({ key, owner }: Pick<Claim, 'key' | 'owner'>): LockError {
  const message = `${JSON.stringify(key)} is held shared by ${owner} and cannot become exclusive: release it first.`;
  return new LockError('LOCK_INVALID', message, { key });
}

/** A lease cannot become shared, as its provider has no shared mode. */
export function sharingRefused({ name }: LockProvider, { key }: Pick<Claim, 'key'>): LockError {
  const message = `The lease on ${JSON.stringify(key)} cannot become shared: the ${name} provider has no shared mode (trait "shared").`;
  return new LockError('LOCK_INVALID', message, { key });
}

/** The answer of a provider with tokens below 2^53 to a claim that needs a higher one. */
export function tokensEnded({ key }: Pick<Claim, 'key'>): LockError {
  const message = `The tokens of ${JSON.stringify(key)} have reached their limit of 2^53. Use another key, and lower floors.`;
  return new LockError('LOCK_INVALID', message, { key });
}

/** The error for what the rules of a key refuse. */
export function refusalOf({ refused }: Refusal, claim: Claim): LockError {
  return refused === 'upgrade' ? upgradeRefused(claim) : tokensEnded(claim);
}
