import type { Claim, LockProvider } from '../contract.ts';
import type { Refusal } from '../key/admission.ts';
import { LockError } from './lock-error.ts';

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
export function refusalOf({ refused }: Refusal, claim: Claim): LockError {
  return refused === 'upgrade' ? upgradeRefused(claim) : tokensEnded(claim);
}
