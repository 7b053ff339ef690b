import type { LockError } from '../../errors/lock-error.ts';
import { callMember } from './member-answers.ts';
import type { ToldState } from './key-states.ts';
import { combinedError } from './member-errors.ts';
import type { Quorum } from './member-errors.ts';
import type { Runtime } from '../../time/runtime.ts';
import type { TimerWheel } from '../../time/timer-wheel.ts';
import { scheduleSilence } from '../../time/schedule.ts';

/** A composite, as far as calls to all of its members need it. */
export interface MembersHost extends Quorum {
  /** In ms. */
  readonly memberTimeout: number;
  /** In ms: of a whole call. */
  readonly timeout: number;
  readonly timers: TimerWheel;
  readonly runtime: Runtime;
}

/**
 * What each member told of `key`. Suspect and late members are not waited for where the others are
 * enough, and tell what `isDecided` asks. Rejects where fewer than `need` answer.
 */
export async function readStates(
  host: MembersHost,
  key: string,
  isDecided: (states: readonly (ToldState | undefined)[]) => boolean = () => true,
): Promise<readonly ToldState[]> {
  const { members, need, memberTimeout, timeout, timers, runtime } = host;
  const states: (ToldState | undefined)[] = members.map(() => undefined);
  const open = new Set(members);
  const isEnough = (): boolean => states.filter((state) => state?.holders !== undefined).length >= need;
  await new Promise<void>((resolve) => {
    const check = (): void => {
      const passedOver = isEnough() && [...open].every(({ suspect }) => suspect) && isDecided(states);
      if (open.size === 0 || passedOver) settle();
    };
    const now = runtime.clock.now();
    const late = scheduleSilence(timers, now + memberTimeout, () => {
      for (const member of open) member.silent(runtime.clock.now(), memberTimeout);
      check();
    });
    const limit = scheduleSilence(timers, now + timeout, () => settle());
    const settle = (): void => {
      timers.cancel(late);
      timers.cancel(limit);
      resolve();
    };
    for (const member of members) {
      callMember(() => member.provider.inspect(key))
        .then(
          (state) => void (states[member.index] = state),
          (error: unknown) => void (states[member.index] = { error: member.name(error, key) }),
        )
        .finally(() => {
          open.delete(member);
          check();
        });
    }
  });
  // What arrives later changes nothing.
  const told = members.map((member, index) => states[index] ?? { error: member.noAnswer(key) });
  if (isEnough()) return told;
  throw combinedError(host, failuresOf(told), key);
}

/** Why members told nothing. */
export function failuresOf(states: readonly ToldState[]): readonly LockError[] {
  return states.flatMap((state) => (state.holders === undefined ? (state.error as LockError) : []));
}
