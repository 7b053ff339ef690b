import { inBackground, within } from '../checks/time.ts';
import type { Disturb } from '../options.ts';

/**
 * Runs `work` while the store is disturbed, and always ends the disturbance. Fails as well if that
 * does not begin or end within `limit` ms each.
 */
export async function disturbed<T>(
  disturb: Disturb | undefined,
  round: number,
  limit: number,
  work: () => Promise<T>,
): Promise<T> {
  if (disturb === undefined) return await work();
  const beginning = inBackground(disturb(round));
  let end: () => Promise<void>;
  try {
    end = await within(limit, beginning, 'option "disturb" to begin');
  } catch (error) {
    // One that begins too late must not last.
    void inBackground(beginning.then((late) => late()));
    throw error;
  }
  const [outcome] = await Promise.allSettled([work()]);
  const [ending] = await Promise.allSettled([within(limit, end(), 'what option "disturb" gave to end it')]);
  if (outcome.status === 'rejected') throw outcome.reason;
  if (ending.status === 'rejected') throw ending.reason;
  return outcome.value;
}
