import { expect, test } from 'vitest';
import { RequestReader } from '../src/zookeeper/request-frames.ts';
import type { Operations } from '../src/zookeeper/request-frames.ts';

function frame(...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 + numbers.length * 4);
  buffer.writeInt32BE(numbers.length * 4, 0);
  for (const [index, number] of numbers.entries()) buffer.writeInt32BE(number, 4 + index * 4);
  return buffer;
}

/**
 * Of the protocol: a frame without an operation, then frames of an xid, an operation and whatever
 * it needs.
 */
const talk = Buffer.concat([
  frame(0, 0, 10_000, 0),
  frame(1, 15, 7, 7),
  frame(2, 8),
  frame(3, 2),
  frame(4, 2),
  frame(5, -11),
]);
const counted = { connect: 1, create2: 1, getChildren: 1, delete: 2, closeSession: 1 };

test('operations are counted by their name, the handshake as one', () => {
  const operations: Operations = new Map();
  new RequestReader(operations).read(talk);
  expect(Object.fromEntries(operations)).toEqual(counted);
});

test.each([1, 3, 7])('the same when they come in pieces of %d bytes', (size) => {
  const operations: Operations = new Map();
  const reader = new RequestReader(operations);
  for (let at = 0; at < talk.length; at += size) reader.read(talk.subarray(at, at + size));
  expect(Object.fromEntries(operations)).toEqual(counted);
});

test('an unknown operation is counted by its number', () => {
  const operations: Operations = new Map();
  const reader = new RequestReader(operations);
  reader.read(frame(0, 0));
  reader.read(frame(1, 4_711));
  expect(Object.fromEntries(operations)).toEqual({ connect: 1, 'operation 4711': 1 });
});
