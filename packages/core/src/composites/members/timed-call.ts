import { scheduleSilence } from '../../time/schedule.ts';
import { callMember } from './member-answers.ts';
import type { MemberCall } from './member-answers.ts';
import type { MembersHost } from './member-states.ts';
import type { Member } from './member.ts';

/** How a call ends. */
export interface CallEnd<Answer> {
  /** There was no answer within the member timeout. One that comes later is told, too. */
  silent(): void;
  answered(answer: Answer): void;
  failed(error: unknown): void;
}

/** Calls `member`, which notes how long that takes beside the others. */
export function timedCall<Answer>(
  { members, memberTimeout, runtime, timers }: MembersHost,
  member: Member,
  kind: MemberCall,
  call: () => Promise<Answer>,
  end: CallEnd<Answer>,
): Promise<Answer> {
  const { clock } = runtime;
  const sentAt = clock.now();
  const sentCall = member.begin(kind);
  let late = false;
  const silence = scheduleSilence(timers, sentAt + memberTimeout, () => {
    late = true;
    member.silent(clock.now(), memberTimeout, fastestBesides(members, member, sentAt));
    end.silent();
  });
  const sent = callMember(call);
  sent.then(
    (answer) => {
      timers.cancel(silence);
      const now = clock.now();
      member.answered(sentCall, now, now - sentAt, fastestBesides(members, member, sentAt), late);
      end.answered(answer);
    },
    (error: unknown) => {
      timers.cancel(silence);
      member.failed(sentCall, error, late);
      end.failed(error);
    },
  );
  return sent;
}

/** The shortest time of the other members that answered after `moment`, in ms. */
function fastestBesides(members: readonly Member[], member: Member, moment: number): number {
  let fastest = Infinity;
  for (const each of members) {
    if (each !== member) fastest = Math.min(fastest, each.tookSince(moment));
  }
  return fastest;
}
