import type { Clock } from '@locks/core/adapter';
import { callMember } from './member-answers.ts';
import type { Member } from './member.ts';

/**
 * In ms: how far a floor is above the members' clocks when a claim reaches them. With less, a
 * delayed claim reaches a clock above it. With more, tokens run further ahead of the clocks.
 */
const ahead = 20;
/** In ms: when the clocks are read again. Less reads them more often, with more they drift. */
const lasting = 5_000;
/** In ms: a slower read does not count, as tokens would run that far ahead of the clocks. */
const slowest = 50;

/**
 * Returns a function for the floor of an attempt that begins now, with which all members return the
 * same token: slightly above their clocks, where their tokens begin. Then no member must be sent
 * another's token. If it is too low, tokens differ, and the members are sent one. `undefined`: the
 * clocks are unknown.
 */
export function commonFloor(members: readonly Member[], clock: Clock): () => bigint | undefined {
  // Other tokens do not begin at a clock.
  const usable = members.every(
    ({ provider: { time, traits } }) => time !== undefined && traits.fencing === 'clock-bounded',
  );
  /** By member, in ms: how far its clock is ahead of this process's when a call reaches it. */
  const offsets = new Map<Member, number>();
  let readAt = -Infinity;
  return usable ? floor : () => undefined;

  function floor(): bigint | undefined {
    const now = clock.now();
    const age = now - readAt;
    if (age > 2 * lasting) offsets.clear();
    if (age > lasting) read(now);
    if (offsets.size === 0) return undefined;
    // A whole ms: simultaneous calls have the same floor, and may be batched.
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
