import { describe, expect, it } from 'vitest';
import { LinkedSet } from '../../../src/leases/ending/linked-set.ts';
import type { Linked } from '../../../src/leases/ending/linked-set.ts';

class Member implements Linked {
  setPrevious: Linked | undefined = undefined;
  setNext: Linked | undefined = undefined;
}

describe('a linked set', () => {
  it('has those who came and did not go, in the order in which they came', () => {
    const set = new LinkedSet<Member>();
    expect(set.members()).toEqual([]);
    const members = Array.from({ length: 5 }, () => new Member());
    for (const member of members) set.add(member);
    const [first, second, third, fourth, last] = members as [Member, Member, Member, Member, Member];
    expect(set.members()).toEqual(members);
    for (const gone of [first, third, last]) set.delete(gone);
    expect(set.members().map((member) => members.indexOf(member))).toEqual([1, 3]);
    set.add(third);
    expect(set.members().map((member) => members.indexOf(member))).toEqual([1, 3, 2]);
    for (const gone of [second, fourth, third]) set.delete(gone);
    expect(set.members()).toEqual([]);
  });

  it('removes no member twice, nor a stranger', () => {
    const set = new LinkedSet<Member>();
    const [stays, goes, stranger] = [new Member(), new Member(), new Member()];
    set.add(goes);
    set.add(stays);
    set.delete(goes);
    set.delete(goes);
    set.delete(stranger);
    expect(set.members()).toEqual([stays]);
    expect([goes.setPrevious, goes.setNext]).toEqual([undefined, undefined]);
  });

  it('can be cleared by those that it tells of', () => {
    const set = new LinkedSet<Member>();
    for (let count = 0; count < 3; count += 1) set.add(new Member());
    for (const member of set.members()) set.delete(member);
    expect(set.members()).toEqual([]);
  });
});
