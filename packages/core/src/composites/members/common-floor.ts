import type { Clock } from '../../time/clock.ts';
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
 * What the tokens of an attempt must exceed, so that all members give the same one: a moment above
 * their clocks, where their tokens begin. Then no member has to be told the token of another. Where
 * it is too low, tokens differ, and the members are told.
 */
export class CommonFloor {
  readonly #members: readonly Member[];
  readonly #clock: Clock;
  readonly #usable: boolean;
  /** By member, in ms: how far its clock is above that of this process when a call reaches it. */
  readonly #offsets = new Map<Member, number>();
  #readAt = -Infinity;

  constructor(members: readonly Member[], clock: Clock) {
    this.#members = members;
    this.#clock = clock;
    // Other tokens do not begin at a clock.
    this.#usable = members.every(
      ({ provider: { time, traits } }) => time !== undefined && traits.fencing === 'clock-bounded',
    );
  }

  /** The floor of an attempt that begins now. `undefined`: the clocks are not known. */
  now(): bigint | undefined {
    if (!this.#usable) return undefined;
    const now = this.#clock.now();
    const age = now - this.#readAt;
    if (age > 2 * lasting) this.#offsets.clear();
    if (age > lasting) this.#read(now);
    if (this.#offsets.size === 0) return undefined;
    // A whole ms: the calls of one moment have one floor, and may travel together.
    return BigInt(Math.ceil(now + Math.max(...this.#offsets.values()) + ahead)) * 1000n;
  }

  #read(sentAt: number): void {
    this.#readAt = sentAt;
    for (const member of this.#members) {
      if (member.suspect) this.#offsets.delete(member);
      else {
        callMember(async () => (await member.provider.time?.()) ?? 0).then(
          (time) => {
            // It is a whole ms, and the clock may be up to one above it.
            if (this.#clock.now() - sentAt <= slowest) this.#offsets.set(member, time + 1 - sentAt);
          },
          () => void this.#offsets.delete(member),
        );
      }
    }
  }
}
