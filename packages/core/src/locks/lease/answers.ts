import type { Busy, Grant, Renewal } from '../../contract.ts';

type Answer = { readonly [Name in keyof Grant | keyof Busy]?: unknown };

/** Whether the answer of a provider to an attempt is one that its contract allows. */
export function isAnswer(answer: unknown): answer is Grant | Busy {
  if (typeof answer !== 'object' || answer === null) return false;
  const { granted, token, validity, lost, retryAfter } = answer as Answer;
  if (granted !== true) return granted === false && isDuration(retryAfter);
  return typeof token === 'bigint' && isDuration(validity) && (lost === undefined || lost instanceof AbortSignal);
}

/** Whether the answer of a provider to a renewal is one that its contract allows. */
export function isRenewal(answer: unknown): answer is Renewal | false {
  if (answer === false) return true;
  return typeof answer === 'object' && answer !== null && isDuration((answer as Renewal).validity);
}

/**
 * Whether a duration of a provider is absent or a finite number of ms. One bad number must not
 * disturb other leases.
 */
function isDuration(ms: unknown): ms is number | undefined {
  return ms === undefined || (typeof ms === 'number' && ms >= 0 && ms < Infinity);
}
