import { expect, test } from 'vitest';
import { FrontendReader } from '../src/sql/frontend-messages.ts';
import type { Tally } from '../src/sql/frontend-messages.ts';

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

function untyped(code: number, rest = ''): Buffer {
  return Buffer.concat([int32(8 + rest.length), int32(code), Buffer.from(rest)]);
}

function message(type: string, body = ''): Buffer {
  return Buffer.concat([Buffer.from(type), int32(4 + body.length), Buffer.from(body)]);
}

const startup = untyped(0x3_00_00, 'user\0locks\0\0');
const prepared = [message('B', 'portal'), message('D', 'S'), message('E', 'portal'), message('S')];

function tallyOf(chunks: readonly Buffer[]): Tally {
  const tally = { connections: 0, statements: 0, roundTrips: 0 };
  const reader = new FrontendReader(tally);
  for (const chunk of chunks) reader.read(chunk);
  return tally;
}

test('a login is a connection, and each of its requests a round trip', () => {
  const login = [untyped(80_877_103), startup, message('p', 'SCRAM'), message('p', 'proof')];
  expect(tallyOf(login)).toEqual({ connections: 1, statements: 0, roundTrips: 4 });
});

test('a prepared statement is one statement and one round trip, whether it is parsed with it or was before', () => {
  const parsed = [message('P', 'SELECT 1'), ...prepared];
  expect(tallyOf([startup, ...parsed, ...prepared])).toEqual({ connections: 1, statements: 2, roundTrips: 3 });
});

test('a simple query is one of each, and what is only said is neither', () => {
  expect(tallyOf([startup, message('Q', 'LISTEN x'), message('X')])).toEqual({
    connections: 1,
    statements: 1,
    roundTrips: 2,
  });
});

test('two statements that travel together are one round trip', () => {
  const together = [...prepared.slice(0, 3), ...prepared];
  expect(tallyOf([startup, ...together])).toMatchObject({ statements: 2, roundTrips: 2 });
});

test('how the bytes are cut into pieces changes nothing', () => {
  const all = Buffer.concat([untyped(80_877_103), startup, ...prepared, message('Q', 'BEGIN'), ...prepared]);
  const whole = tallyOf([all]);
  expect(whole).toEqual({ connections: 1, statements: 3, roundTrips: 5 });
  for (let size = 1; size < 40; size += 1) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < all.length; at += size) pieces.push(all.subarray(at, at + size));
    expect(tallyOf(pieces)).toEqual(whole);
  }
});

test('a request to cancel is no connection', () => {
  expect(tallyOf([untyped(80_877_102, '12345678')])).toEqual({ connections: 0, statements: 0, roundTrips: 0 });
});
