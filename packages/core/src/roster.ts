/** Something that can be on a roster. The links belong to the roster. */
export interface Listed {
  rosterPrevious: Listed | undefined;
  rosterNext: Listed | undefined;
}

/** A set linked through its members: coming and going are a few pointer writes, where a `Set` would hash each new object. */
export class Roster<Member extends Listed> {
  readonly #ends: Listed;

  constructor() {
    const ends: Listed = { rosterPrevious: undefined, rosterNext: undefined };
    ends.rosterPrevious = ends;
    ends.rosterNext = ends;
    this.#ends = ends;
  }

  /** Adds `member`, which must not be on any roster. */
  add(member: Member): void {
    const last = this.#ends.rosterPrevious as Listed;
    member.rosterPrevious = last;
    member.rosterNext = this.#ends;
    last.rosterNext = member;
    this.#ends.rosterPrevious = member;
  }

  /** Takes `member` off, if it is on. */
  delete(member: Member): void {
    const { rosterPrevious: previous, rosterNext: next } = member;
    if (previous === undefined || next === undefined) return;
    previous.rosterNext = next;
    next.rosterPrevious = previous;
    member.rosterPrevious = undefined;
    member.rosterNext = undefined;
  }

  /** Those who are on it now, in the order in which they came. */
  members(): readonly Member[] {
    const members: Member[] = [];
    for (
      let member = this.#ends.rosterNext;
      member !== undefined && member !== this.#ends;
      member = member.rosterNext
    ) {
      members.push(member as Member);
    }
    return members;
  }
}
