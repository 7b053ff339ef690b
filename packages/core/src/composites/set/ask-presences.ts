import { scheduleSilence } from '../../time/schedule.ts';
import { callMember } from '../members/member-answers.ts';
import type { MembersHost } from '../members/member-states.ts';
import type { Presence } from './presence.ts';

/**
 * Takes a step with each of `presences`. Resolves when all are over but those of suspect and late
 * members, which are not waited for where `need` have succeeded. `ends` has what resolves it at
 * once. `over`: called after each step.
 */
export function askPresences(
  { need, memberTimeout, timeout, timers, runtime }: MembersHost,
  presences: readonly Presence[],
  step: (presence: Presence) => Promise<void>,
  ends: Set<() => void>,
  over: () => void,
): Promise<void> {
  const open = new Set(presences);
  let succeeded = 0;
  return new Promise((resolve) => {
    let isLate = false;
    const check = (): void => {
      const passedOver = succeeded >= need && (isLate || [...open].every(({ member }) => member.suspect));
      if (open.size === 0 || passedOver) end();
    };
    const now = runtime.clock.now();
    const late = scheduleSilence(timers, now + memberTimeout, () => {
      isLate = true;
      for (const { member } of open) member.silent(runtime.clock.now(), memberTimeout);
      check();
    });
    const limit = scheduleSilence(timers, now + timeout / 2, () => end());
    const end = (): void => {
      timers.cancel(late);
      timers.cancel(limit);
      ends.delete(end);
      resolve();
    };
    ends.add(end);
    for (const presence of open) {
      presence.busy = true;
      callMember(() => step(presence))
        .then(
          () => {
            presence.failure = undefined;
            succeeded += 1;
          },
          (error: unknown) => void (presence.failure = error),
        )
        .finally(() => {
          presence.busy = false;
          open.delete(presence);
          over();
          check();
        });
    }
    check();
  });
}
