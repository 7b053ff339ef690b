import type { Claim, LockProvider } from '../../contract.ts';
import { about, channels } from '../diagnostics/channels.ts';
import type { ReleaseMessage } from '../diagnostics/channels.ts';

/**
 * One release, reported to diagnostics. Resolves to what `settle` makes of its answer, or of the
 * error it rejected with. `heldFor`: how long the claim was held, in ms. `report`: whether
 * diagnostics hear of it.
 */
export function releaseOnce<T>(
  provider: LockProvider,
  claim: Claim,
  settle: (answer: boolean | Error) => T,
  heldFor?: number,
  report = true,
): Promise<T> {
  const answered = (freed: boolean): T => {
    if (report && channels.release.hasSubscribers) tell(provider, claim, heldFor, { freed });
    return settle(freed);
  };
  const failed = (error: unknown): T => {
    if (report && channels.release.hasSubscribers) tell(provider, claim, heldFor, { freed: false, error });
    return settle(error instanceof Error ? error : new Error(String(error)));
  };
  let sent: Promise<boolean>;
  try {
    sent = Promise.resolve(provider.release(claim));
  } catch (error) {
    sent = Promise.reject(error);
  }
  return sent.then(answered, failed);
}

function tell(
  provider: LockProvider,
  claim: Claim,
  heldFor: number | undefined,
  outcome: Pick<ReleaseMessage, 'freed' | 'error'>,
): void {
  const held = heldFor === undefined ? {} : { heldFor };
  channels.release.publish({ ...about(provider.name, claim), ...held, ...outcome });
}
