import type { Clock } from '@locks/core/adapter';
import { callMember } from './member-answers.ts';
import type { Member } from './member.ts';

/**
 * A floor is so many ms above the clocks of the members when a claim reaches them. With less, a
 * claim that is delayed meets a clock above it. With more, tokens run further ahead of the clocks.
 */
const ahead = 20;
/** The clocks are read again after so many ms. Less reads them more, with more they drift. */
const lasting = 5_000;
/** A reading that took more ms does not count: it would put tokens so far ahead of the clocks. */
const slowest = 50;

/**
 * Gives what the tokens of an attempt that begins now must exceed, so that all members give the
 * same one: a moment above their clocks, where their tokens begin. Then no member has to be told
 * the token of another. Where it is too low, tokens differ, and the members are told. `undefined`:
 * the clocks are not known.
 */
export function commonFloor(members: readonly Member[], clock: Clock): () => bigint | undefined {
  // Other tokens do not begin at a clock.
  const usable = members.every(
    ({ provider: { time, traits } }) => time !== undefined && traits.fencing === 'clock-bounded',
  );
  /** By member, in ms: how far its clock is above that of this process when a call reaches it. */
  const offsets = new Map<Member, number>();
  let readAt = -Infinity;
  return usable ? floor : () => undefined;

  function floor(): bigint | undefined {
    const now = clock.now();
    const age = now - readAt;
    if (age > 2 * lasting) offsets.clear();
    if (age > lasting) read(now);
    if (offsets.size === 0) return undefined;
    // A whole ms: the calls of one moment have one floor, and may travel together.
    return BigInt(Math.ceil(now + Math.max(...offsets.values()) + ahead)) * 1000n;
  }

  function read(sentAt: number): void {
    readAt = sentAt;
    for (const member of members) {
      if (member.suspect) offsets.delete(member);
      else {
        callMember(async () => (await member.provider.time?.()) ?? 0).then(
          (time) => {
            // It is a whole ms, and the clock may be up to one above it.
            if (clock.now() - sentAt <= slowest) offsets.set(member, time + 1 - sentAt);
          },
          () => void offsets.delete(member),
        );
      }
    }
  }
}
