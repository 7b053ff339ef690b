import { expect, test } from 'vitest';
import { contenderName, parseContenders } from '../../../src/recipes/contenders.ts';
import { numbered, sequenceLimit } from '../../../src/nodes/sequence.ts';
import { judgeEntry } from '../../../src/recipes/semaphore/judge.ts';
import type { Entry } from '../../../src/recipes/semaphore/judge.ts';
import { isAmongFirst, leaseName, parseLeases } from '../../../src/recipes/semaphore/leases.ts';

type Kind = 'exclusive' | 'shared' | number | 'curator';

// Exclusive claims hold by their position in the queue.
function claimOf(kind: Kind, owner: string) {
  if (typeof kind === 'number') return { owner, mode: 'shared', permits: kind } as const;
  return { owner, mode: kind === 'shared' ? 'shared' : 'exclusive' } as const;
}

function placeOf(kind: Kind, index: number): string {
  return numbered(contenderName('mutex', claimOf(kind, `waiter/${index}`)), index);
}

function leaseOf(kind: Kind, index: number): string {
  const curators = '_c_795719b6-0b52-4108-a933-c5450365d608-lease-';
  return numbered(kind === 'curator' ? curators : leaseName(claimOf(kind, `holder/${index}`)), index);
}

/** What the last one in the queue may do. */
function entryOf(inQueue: readonly Kind[], inside: readonly Kind[]): Entry {
  const kind = inQueue.at(-1) ?? 'exclusive';
  const names = inQueue.map(placeOf);
  return judgeEntry(
    { locks: parseContenders(names.toReversed()), leases: parseLeases(inside.map(leaseOf)) },
    names.at(-1) ?? '',
    claimOf(kind, 'any'),
  );
}

test('a claim that is not first waits for its predecessor, whatever is free', () => {
  expect(entryOf(['curator', 2, 2], [])).toEqual({ state: 'waits', watch: [`locks/${placeOf(2, 1)}`], place: 2 });
});

test.each([
  [2, []],
  [2, [2]],
  [2, ['curator']],
  ['shared', ['shared', 'curator', 'shared']],
  [2, [3]],
  [4, [2, 'shared', 3]],
  ['shared', [3]],
  ['exclusive', []],
] as const)('%s enters beside %j', (kind, inside) => {
  expect(entryOf([kind], inside)).toEqual({ state: 'enters' });
});

test('one of n permits waits for any n leases, so that the last one to go but n - 1 is among them', () => {
  const leases = [2, 'curator', 'curator'] as const;
  expect(entryOf([2], leases)).toEqual({
    state: 'waits',
    watch: [`leases/${leaseOf(2, 0)}`, `leases/${leaseOf('curator', 1)}`],
    place: 0,
  });
});

test('exclusive waits for one lease at a time', () => {
  expect(entryOf(['exclusive'], [2, 2])).toEqual({ state: 'waits', watch: [`leases/${leaseOf(2, 0)}`], place: 0 });
});

test('the queue is not trusted near the end of its numbers, nor beyond', () => {
  const near = numbered(contenderName('mutex', claimOf(2, 'any')), sequenceLimit);
  expect(judgeEntry({ locks: parseContenders([near]), leases: [] }, near, claimOf(2, 'any'))).toEqual({
    state: 'exhausted',
    sequence: sequenceLimit,
  });
  const wrapped = `${contenderName('mutex', claimOf(2, 'any'))}-2147483648`;
  const first = placeOf(2, 0);
  expect(judgeEntry({ locks: parseContenders([first, wrapped]), leases: [] }, first, claimOf(2, 'any')).state).toBe(
    'exhausted',
  );
  expect(judgeEntry({ locks: [], leases: [] }, first, claimOf(2, 'any'))).toEqual({ state: 'missing' });
});

test('a lease is known by its name; those of others say nothing', () => {
  const name = leaseName({ owner: 'one', permits: 12 });
  const uuid = name.slice(3, 39);
  expect(parseLeases([`${name}0000000007`, `${name}-2147483648`, leaseOf('curator', 1), 'anything'])).toEqual([
    { name: `${name}0000000007`, sequence: 7, uuid, permits: 12 },
    { name: `${name}-2147483648`, sequence: 2 ** 31, uuid, permits: 12 },
    { name: leaseOf('curator', 1), sequence: 1 },
    { name: 'anything' },
  ]);
  const [lease] = parseLeases([`${leaseName({ owner: 'one' })}0000000000`]);
  expect(lease).toStrictEqual({ name: lease?.name, sequence: 0, uuid });
});

test('a lease is a hold if fewer than the permits came before it, as far as is known', () => {
  const own = `${leaseName({ owner: 'own', permits: 2 })}0000000005`;
  const among = (...others: readonly string[]): boolean => isAmongFirst(parseLeases([own, ...others]), own, 2);
  const before = [3, 4].map((sequence) => leaseOf('curator', sequence));
  const after = [6, 7].map((sequence) => leaseOf('curator', sequence));
  expect([among(), among(...before.slice(0, 1)), among(...before)]).toEqual([true, true, false]);
  expect([among(...after), among(...after, ...before.slice(0, 1))]).toEqual([true, true]);
  expect([among('one'), among('one', 'another')]).toEqual([true, false]);
  expect(isAmongFirst(parseLeases(before), own, 2)).toBe(false);
  expect(isAmongFirst(parseLeases([own, ...before, ...after]), own)).toBe(true);
});
