import type { Claim, LockProvider } from '../../contract.ts';
import { badAnswerError } from '../../errors/messages.ts';
import { isRenewal } from '../hold/answers.ts';
import { about, channels } from '../diagnostics/channels.ts';
import type { ReleaseMessage } from '../diagnostics/channels.ts';

/**
 * One release, reported to diagnostics. Resolves to what `settle` makes of its answer, or of the
 * error it rejected with. `heldFor`: how long the claim was held, in ms. `report`: whether
 * diagnostics hear of it. `rest`: instead of a release, a last renewal keeps the hold for so many
 * ms.
 */
export function releaseOnce<T>(
  provider: LockProvider,
  claim: Claim,
  settle: (answer: boolean | Error) => T,
  heldFor?: number,
  report = true,
  rest = 0,
): Promise<T> {
  const rests = rest === 0 ? undefined : { rests: rest };
  const answered = (freed: boolean): T => {
    if (report && channels.release.hasSubscribers) tell(provider, claim, heldFor, { freed, ...rests });
    return settle(freed);
  };
  const failed = (error: unknown): T => {
    if (report && channels.release.hasSubscribers) tell(provider, claim, heldFor, { freed: false, error, ...rests });
    return settle(error instanceof Error ? error : new Error(String(error)));
  };
  let sent: Promise<boolean>;
  try {
    sent = rest === 0 ? Promise.resolve(provider.release(claim)) : renewLast(provider, { ...claim, ttl: rest });
  } catch (error) {
    sent = Promise.reject(error);
  }
  return sent.then(answered, failed);
}

/** Whether it was held. */
async function renewLast(provider: LockProvider, claim: Claim): Promise<boolean> {
  const answer = await provider.renew(claim);
  if (!isRenewal(answer)) throw badAnswerError(provider, claim);
  return answer !== false;
}

function tell(
  provider: LockProvider,
  claim: Claim,
  heldFor: number | undefined,
  outcome: Pick<ReleaseMessage, 'freed' | 'error' | 'rests'>,
): void {
  const held = heldFor === undefined ? {} : { heldFor };
  channels.release.publish({ ...about(provider.name, claim), ...held, ...outcome });
}
