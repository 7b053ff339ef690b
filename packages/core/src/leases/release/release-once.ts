import type { Claim, LockProvider } from '../../contract.ts';
import { badAnswerError } from '../../errors/messages.ts';
import { isRenewal } from '../../options/answers.ts';
import { channels, messageAbout } from '../diagnostics/channels.ts';
import type { ReleaseMessage, WithdrawMessage } from '../diagnostics/messages.ts';

/** What a release ends: a lease held for this many ms, or why it ends something else. */
export type Released = number | WithdrawMessage['reason'];

/**
 * One release, reported to diagnostics. Resolves to the result of `settle` for its answer or its
 * error. `report`: whether it is reported. `rest`: instead of a release, a last renewal keeps the
 * hold for this time, in ms.
 */
export function releaseOnce<T>(
  provider: LockProvider,
  claim: Claim,
  settle: (answer: boolean | Error) => T,
  released: Released,
  report = true,
  rest = 0,
): Promise<T> {
  const channel = typeof released === 'number' ? channels.release : channels.withdraw;
  const cooldown = rest === 0 ? undefined : { cooldown: rest };
  const answered = (freed: boolean): T => {
    if (report && channel.hasSubscribers) tell(provider, claim, released, { freed, ...cooldown });
    return settle(freed);
  };
  const failed = (error: unknown): T => {
    if (report && channel.hasSubscribers) tell(provider, claim, released, { freed: false, error, ...cooldown });
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

async function renewLast(provider: LockProvider, claim: Claim): Promise<boolean> {
  const answer = await provider.renew(claim);
  if (!isRenewal(answer)) throw badAnswerError(provider, claim);
  return answer !== false;
}

function tell(
  provider: LockProvider,
  claim: Claim,
  released: Released,
  outcome: Pick<ReleaseMessage, 'freed' | 'error' | 'cooldown'>,
): void {
  if (typeof released === 'number') {
    channels.release.publish(messageAbout(provider.name, claim, { heldFor: released, ...outcome }));
  } else {
    channels.withdraw.publish(messageAbout(provider.name, claim, { reason: released, ...outcome }));
  }
}
