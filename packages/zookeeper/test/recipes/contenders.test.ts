import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { numbered } from '../../src/nodes/sequence.ts';
import { contenderName, parseContender, uuidOf } from '../../src/recipes/contenders.ts';

const uuid = '706101c7-325d-432c-a62c-48ec96deffcd';
const owner = 'host:1/a.0';

test('an owner has one UUID', () => {
  const hex = createHash('sha256').update(owner).digest('hex');
  expect(uuidOf(owner).replaceAll('-', '')).toBe(hex.slice(0, 32));
  expect(uuidOf(owner)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(uuidOf('host:1/a.1')).not.toBe(uuidOf(owner));
});

test.each([
  ['mutex', 'exclusive', undefined, '-lock-'],
  ['mutex', 'shared', undefined, '-shared-lock-'],
  ['mutex', 'shared', 3, '-shared-of-3-lock-'],
  ['read-write', 'exclusive', undefined, '-__WRIT__'],
  ['read-write', 'shared', undefined, '-__READ__'],
  ['read-write', 'shared', 12, '-of-12-__READ__'],
] as const)('%s, %s, permits %s', (recipe, mode, permits, end) => {
  const claim = { owner, mode, ...(permits === undefined ? {} : { permits }) };
  const prefix = contenderName(recipe, claim);
  expect(prefix).toBe(`_c_${uuidOf(owner)}${end}`);
  const name = numbered(prefix, 42);
  expect(name).toBe(`${prefix}0000000042`);
  expect(parseContender(name)).toEqual({
    name,
    sequence: 42,
    mode,
    uuid: uuidOf(owner),
    ...(permits === undefined ? {} : { permits }),
  });
});

// As Curator 5.4, kazoo 2.8, go-zookeeper, DistributedLock 2.8 and ZooKeeper's own recipe write
// them.
test.each([
  [`_c_${uuid}-lock-0000000007`, 'exclusive', uuid],
  [`_c_${uuid}-__WRIT__0000000007`, 'exclusive', uuid],
  [`_c_${uuid}-__READ__0000000007`, 'shared', uuid],
  ['683f1ed278514a5c8536ec727751cbe8__lock__0000000007', 'exclusive', undefined],
  ['c8f1f574c417422490d6d4707d1ed0fb__rlock__0000000007', 'shared', undefined],
  ['_c_683f1ed278514a5c8536ec727751cbe8-lock-0000000007', 'exclusive', undefined],
  ['lock-0000000007', 'exclusive', undefined],
  ['read-0000000007', 'exclusive', undefined],
  ['x-72057594037927936-0000000007', 'exclusive', undefined],
  ['0000000007', 'exclusive', undefined],
  ['12340000000007', 'exclusive', undefined],
] as const)('%s', (name, mode, found) => {
  expect(parseContender(name)).toEqual({ name, sequence: 7, mode, ...(found === undefined ? {} : { uuid: found }) });
});

test('a marker of the user means shared before the number only', () => {
  expect(parseContender('read-0000000007', ['read-'])?.mode).toBe('shared');
  expect(parseContender('read-lock-0000000007', ['read-'])?.mode).toBe('exclusive');
  expect(parseContender('__READ__-lock-0000000007')?.mode).toBe('exclusive');
  expect(parseContender('my-of-3-lock-0000000007')?.mode).toBe('exclusive');
});

test.each(['', 'locks', 'lock-', 'lock-000000007', 'lock-0000000007-', `_c_${uuid}-lock-`])(
  '%j is not in the queue',
  (name) => {
    expect(parseContender(name)).toBeUndefined();
  },
);

test.each([
  ['lock-2147483647', 2 ** 31 - 1],
  ['lock--2147483648', 2 ** 31],
  ['__WRIT__-2147483647', 2 ** 31 + 1],
  ['__lock__-1999999999', 2 ** 32 - 1_999_999_999],
  ['lock--1999999999', 2 ** 32 - 1_999_999_999],
  ['-2147483648', 2 ** 31],
  ['lock-1999999999', 1_999_999_999],
  ['lock-4294967295', 4_294_967_295],
])('%s has place %d', (name, sequence) => {
  expect(parseContender(name)?.sequence).toBe(sequence);
});
