import { describe, expect, it } from 'vitest';
import { Roster } from '../src/roster.ts';
import type { Listed } from '../src/roster.ts';

class Member implements Listed {
  rosterPrevious: Listed | undefined = undefined;
  rosterNext: Listed | undefined = undefined;
}

describe('a roster', () => {
  it('has those who came and did not go, in the order in which they came', () => {
    const roster = new Roster<Member>();
    expect(roster.members()).toEqual([]);
    const members = Array.from({ length: 5 }, () => new Member());
    for (const member of members) roster.add(member);
    const [first, second, third, fourth, last] = members as [Member, Member, Member, Member, Member];
    expect(roster.members()).toEqual(members);
    for (const gone of [first, third, last]) roster.delete(gone);
    expect(roster.members().map((member) => members.indexOf(member))).toEqual([1, 3]);
    roster.add(third);
    expect(roster.members().map((member) => members.indexOf(member))).toEqual([1, 3, 2]);
    for (const gone of [second, fourth, third]) roster.delete(gone);
    expect(roster.members()).toEqual([]);
  });

  it('lets nobody go twice, nor one who never came', () => {
    const roster = new Roster<Member>();
    const [stays, goes, stranger] = [new Member(), new Member(), new Member()];
    roster.add(goes);
    roster.add(stays);
    roster.delete(goes);
    roster.delete(goes);
    roster.delete(stranger);
    expect(roster.members()).toEqual([stays]);
    expect([goes.rosterPrevious, goes.rosterNext]).toEqual([undefined, undefined]);
  });

  it('can be cleared by those that it tells of', () => {
    const roster = new Roster<Member>();
    for (let count = 0; count < 3; count += 1) roster.add(new Member());
    for (const member of roster.members()) roster.delete(member);
    expect(roster.members()).toEqual([]);
  });
});
