import type { LockError, Runtime } from '@locks/core/adapter';
import type { TimerWheel } from '@locks/core/composite';
import { callMember } from './member-answers.ts';
import type { ToldState } from './key-states.ts';
import { combinedError } from './member-errors.ts';
import type { Quorum } from './member-errors.ts';
import type { Member } from './member.ts';
import type { Silences } from './silences.ts';

/** A composite, as seen by calls to all of its members. */
export interface MembersHost extends Quorum {
  /** In ms. */
  readonly memberTimeout: number;
  /** In ms: of a whole call. */
  readonly timeout: number;
  readonly timers: TimerWheel;
  readonly silences: Silences;
  readonly runtime: Runtime;
}

interface CallsEnd {
  isEnough(): boolean;
  /** In ms. @default timeout */
  readonly limit?: number;
  /** End the wait immediately. */
  readonly ends?: Set<() => void>;
}

/**
 * Calls `members` simultaneously. Resolves when all calls have settled except those of suspect and
 * late members, which are not awaited if the others suffice. `call` resolves to whether the member
 * answered.
 */
export function callMembers(
  { memberTimeout, timeout, silences, runtime }: MembersHost,
  members: readonly Member[],
  call: (member: Member) => Promise<boolean>,
  { isEnough, limit = timeout, ends = new Set() }: CallsEnd,
): Promise<void> {
  const open = new Set(members);
  return new Promise((resolve) => {
    const check = (): void => {
      if (open.size === 0 || (isEnough() && [...open].every(({ suspect }) => suspect))) end();
    };
    const end = (): void => {
      silences.end(whole);
      silences.end(wait);
      ends.delete(end);
      resolve();
    };
    const silent = (): void => {
      const now = runtime.clock.now();
      const unheard = [...open].filter((member) => !member.answersBefore(whole.since, now - memberTimeout));
      for (const member of unheard) member.silent(now, memberTimeout);
      if (unheard.length < open.size) wait = silences.begin(silent);
      check();
    };
    const whole = silences.begin(silent, end, limit);
    let wait = whole;
    ends.add(end);
    for (const member of members) {
      void call(member).then((isAnswered) => {
        const now = runtime.clock.now();
        if (isAnswered) member.heard(now, now - whole.since);
        open.delete(member);
        check();
      });
    }
    check();
  });
}

/**
 * Each member's report of `key`. Suspect and late members are awaited only until the others suffice
 * and `isDecided` returns true. Rejects if fewer than `need` answer.
 */
export async function readStates(
  host: MembersHost,
  key: string,
  isDecided: (states: readonly (ToldState | undefined)[]) => boolean = () => true,
): Promise<readonly ToldState[]> {
  const { members, need } = host;
  const states: (ToldState | undefined)[] = members.map(() => undefined);
  const answered = (): boolean => states.filter((state) => state?.holders !== undefined).length >= need;
  const read = (member: Member): Promise<boolean> =>
    callMember(() => member.provider.inspect(key)).then(
      (state) => {
        states[member.index] = state;
        return true;
      },
      (error: unknown) => {
        states[member.index] = { error: member.name(error, key) };
        return false;
      },
    );
  await callMembers(host, members, read, { isEnough: () => answered() && isDecided(states) });
  // Later answers change nothing.
  const told = members.map((member, index) => states[index] ?? { error: member.noAnswer(key) });
  if (answered()) return told;
  throw combinedError(host, failuresOf(told), key);
}

/** Why members reported nothing. */
export function failuresOf(states: readonly ToldState[]): readonly LockError[] {
  return states.flatMap((state) => (state.holders === undefined ? (state.error as LockError) : []));
}
