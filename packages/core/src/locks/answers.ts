import type { Busy, Grant, Renewal } from '../contract.ts';

type Answer = { readonly [Name in keyof Grant | keyof Busy]?: unknown };

/** Whether a provider answered an attempt with something that can be reckoned with. */
export function isAnswer(answer: unknown): answer is Grant | Busy {
  if (typeof answer !== 'object' || answer === null) return false;
  const { granted, token, validity, lost, retryAfter } = answer as Answer;
  if (granted !== true) return granted === false && isDuration(retryAfter);
  return typeof token === 'bigint' && isDuration(validity) && (lost === undefined || lost instanceof AbortSignal);
}

/** Whether a provider answered a renewal with something that can be reckoned with. */
export function isRenewal(answer: unknown): answer is Renewal | false {
  if (answer === false) return true;
  return typeof answer === 'object' && answer !== null && isDuration((answer as Renewal).validity);
}

/** Whether a provider's duration can be reckoned with; absent is fine. One bad number must not disturb other leases. */
function isDuration(ms: unknown): ms is number | undefined {
  return ms === undefined || (typeof ms === 'number' && ms >= 0 && ms < Infinity);
}
