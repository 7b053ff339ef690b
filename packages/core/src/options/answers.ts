import type { Busy, Grant, Renewal } from '../contract.ts';

type Answer = { readonly [Name in keyof Grant | keyof Busy]?: unknown };

/** Whether the contract allows a provider's answer to an attempt. */
export function isAnswer(answer: unknown): answer is Grant | Busy {
  if (typeof answer !== 'object' || answer === null) return false;
  const { granted, token, validity, hold, lost, retryAfter } = answer as Answer;
  if (granted !== true) return granted === false && isDuration(retryAfter);
  if (typeof token !== 'bigint' || !isDuration(validity) || !isDuration(hold)) return false;
  return lost === undefined || lost instanceof AbortSignal;
}

/** Whether the contract allows a provider's answer to a renewal. */
export function isRenewal(answer: unknown): answer is Renewal | false {
  if (answer === false) return true;
  if (typeof answer !== 'object' || answer === null) return false;
  const { validity, hold } = answer as { readonly [Name in keyof Renewal]?: unknown };
  return isDuration(validity) && isDuration(hold);
}

/**
 * Whether a duration of a provider is absent or a finite number of ms. One bad number must not
 * affect other leases.
 */
function isDuration(ms: unknown): ms is number | undefined {
  return ms === undefined || (typeof ms === 'number' && ms >= 0 && ms < Infinity);
}
