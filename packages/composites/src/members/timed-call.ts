import type { Clock } from '@locks/core/adapter';
import { callMember } from './member-answers.ts';
import type { MemberCall } from './member-answers.ts';
import type { MembersHost } from './member-states.ts';
import type { Member } from './member.ts';

export interface CallEnd<Answer> {
  /**
   * There was no answer within the member timeout, nor to a call sent before. A late one is still
   * reported.
   */
  silent(): void;
  answered(answer: Answer): void;
  failed(error: unknown): void;
}

/** Calls `member`, and records its duration relative to the others. */
export function timedCall<Answer>(
  { members, memberTimeout, runtime, silences }: MembersHost,
  member: Member,
  kind: MemberCall,
  call: () => Promise<Answer>,
  end: CallEnd<Answer>,
): Promise<Answer> {
  const { clock } = runtime;
  const sentCall = member.begin(kind);
  if (member.unclear) askAnother(members, member, clock);
  let late = false;
  const silent = (): void => {
    const now = clock.now();
    if (member.answersBefore(sentAt, now - memberTimeout)) {
      wait = silences.begin(silent);
      return;
    }
    late = true;
    member.silent(now, memberTimeout, fastestBesides(members, member, sentAt));
    end.silent();
  };
  let wait = silences.begin(silent);
  const { since: sentAt } = wait;
  const sent = callMember(call);
  sent.then(
    (answer) => {
      silences.end(wait);
      const now = clock.now();
      member.answered(sentCall, now, now - sentAt, () => fastestBesides(members, member, sentAt), late);
      end.answered(answer);
    },
    (error: unknown) => {
      silences.end(wait);
      member.failed(sentCall, error, late);
      end.failed(error);
    },
  );
  return sent;
}

/** Reads the clock of another member, so that the duration of a call can be compared. */
function askAnother(members: readonly Member[], member: Member, clock: Clock): void {
  const other = members.find((each) => each !== member && !each.suspect && each.provider.time !== undefined);
  if (other === undefined) return;
  const sentAt = clock.now();
  callMember(async () => await other.provider.time?.()).then(
    () => other.heard(clock.now(), clock.now() - sentAt),
    () => {},
  );
}

/** The shortest time of the other members that answered after `moment`, in ms. */
function fastestBesides(members: readonly Member[], member: Member, moment: number): number {
  return Math.min(...members.map((each) => (each === member ? Infinity : each.tookSince(moment))));
}
