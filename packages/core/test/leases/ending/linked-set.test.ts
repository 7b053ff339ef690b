import { expect, it } from 'vitest';
import { LinkedSet } from '../../../src/leases/ending/linked-set.ts';
import type { Linked } from '../../../src/leases/ending/linked-set.ts';

class Member implements Linked {
  setPrevious: Linked | undefined = undefined;
  setNext: Linked | undefined = undefined;
}

it('a linked set removes no member twice, nor a stranger', () => {
  const set = new LinkedSet<Member>();
  const [stays, goes, later] = [new Member(), new Member(), new Member()];
  set.add(goes);
  set.add(stays);
  set.delete(goes);
  set.add(later);
  set.delete(goes);
  set.delete(new Member());
  expect(set.members()).toEqual([stays, later]);
  expect([goes.setPrevious, goes.setNext]).toEqual([undefined, undefined]);
});
