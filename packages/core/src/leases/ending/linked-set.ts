import type { LockError } from '../../errors/lock-error.ts';

/** A possible member of a linked set. The links belong to the set. */
export interface Linked {
  /** The member before it, or the set. `undefined`: not in a set. */
  setPrevious: Linked | undefined;
  /** The member after it, or the set. `undefined`: not in a set. */
  setNext: Linked | undefined;
}

/** An acquisition or a candidate, for `close` of the client. */
export interface Closable extends Linked {
  /** Ends it because its client is closing. */
  close(reason: LockError): void;
}

/**
 * A set linked through its members. Adding and deleting are a few pointer writes, where a `Set`
 * would hash each new object.
 */
export class LinkedSet<Member extends Linked> {
  readonly #ends: Linked;

  constructor() {
    const ends: Linked = { setPrevious: undefined, setNext: undefined };
    ends.setPrevious = ends;
    ends.setNext = ends;
    this.#ends = ends;
  }

  /** The oldest member. */
  get first(): Member | undefined {
    const first = this.#ends.setNext;
    return first === this.#ends ? undefined : (first as Member);
  }

  /** Adds `member`, which must not be in any set. */
  add(member: Member): void {
    const last = this.#ends.setPrevious as Linked;
    member.setPrevious = last;
    member.setNext = this.#ends;
    last.setNext = member;
    this.#ends.setPrevious = member;
  }

  /** Removes `member`, if it is in the set. */
  delete(member: Member): void {
    const { setPrevious: previous, setNext: next } = member;
    if (previous === undefined || next === undefined) return;
    previous.setNext = next;
    next.setPrevious = previous;
    member.setPrevious = undefined;
    member.setNext = undefined;
  }

  /** A copy of its members, oldest first. */
  members(): readonly Member[] {
    const members: Member[] = [];
    for (let member = this.#ends.setNext; member !== undefined && member !== this.#ends; member = member.setNext) {
      members.push(member as Member);
    }
    return members;
  }
}
