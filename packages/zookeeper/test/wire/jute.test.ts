import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Reader } from '../../src/wire/reader.ts';
import { Writer } from '../../src/wire/writer.ts';
import { ProtocolError } from '../../src/wire/protocol-error.ts';

type Field =
  | { readonly kind: 'int'; readonly value: number }
  | { readonly kind: 'long'; readonly value: bigint }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Buffer }
  | { readonly kind: 'vector'; readonly value: readonly string[] };

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const field: fc.Arbitrary<Field> = fc.oneof(
  fc.record({ kind: fc.constant('int' as const), value: fc.integer() }),
  fc.record({ kind: fc.constant('long' as const), value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
  fc.record({ kind: fc.constant('bool' as const), value: fc.boolean() }),
  fc.record({ kind: fc.constant('string' as const), value: text }),
  fc.record({
    kind: fc.constant('bytes' as const),
    value: fc.uint8Array({ maxLength: 50_000 }).map((bytes) => Buffer.from(bytes)),
  }),
  fc.record({ kind: fc.constant('vector' as const), value: fc.array(text) }),
);

function write(writer: Writer, { kind, value }: Field): void {
  switch (kind) {
    case 'int':
      return writer.int(value);
    case 'long':
      return writer.long(value);
    case 'bool':
      return writer.bool(value);
    case 'string':
      return writer.string(value);
    case 'bytes':
      return writer.bytes(value);
    case 'vector':
      return writer.vector(value, (each) => writer.string(each));
  }
}

function read(reader: Reader, { kind }: Field): Field['value'] {
  return kind === 'vector' ? reader.vector(4, () => reader.string()) : reader[kind]();
}

test('what is written is read again, whatever the buffer grows through', () => {
  const writer = new Writer();
  fc.assert(
    fc.property(fc.array(field), (fields) => {
      for (const each of fields) write(writer, each);
      const reader = new Reader().reset(writer.take());
      for (const each of fields) expect(read(reader, each)).toEqual(each.value);
      reader.end();
    }),
  );
});

test('what was taken is not written to again', () => {
  const writer = new Writer();
  const taken: Buffer[] = [];
  const copies: Buffer[] = [];
  for (let round = 0; round < 50; round += 1) {
    writer.bytes(Buffer.alloc(round * 97, round));
    const bytes = writer.take();
    taken.push(bytes);
    copies.push(Buffer.from(bytes));
  }
  expect(taken.every((bytes, round) => bytes.equals(copies[round] ?? Buffer.alloc(0)))).toBe(true);
});

test('a frame that was given up leaves what stood before it', () => {
  const writer = new Writer();
  writer.int(1);
  const frame = writer.beginFrame();
  writer.bytes(Buffer.alloc(100_000));
  writer.truncate(frame);
  writer.int(2);
  expect(writer.take().toString('hex')).toBe('0000000100000002');
});

test.each([2 ** 31, -(2 ** 31) - 1, 1.5, Number.NaN, Infinity])('%s is not written as an int', (value) => {
  expect(() => new Writer().int(value)).toThrow(RangeError);
});

describe('bytes that do not fit', () => {
  test('a frame that was cut anywhere is an error, not a value', () => {
    fc.assert(
      fc.property(fc.array(field, { minLength: 1 }), fc.nat(), (fields, cut) => {
        const writer = new Writer();
        for (const each of fields) write(writer, each);
        const bytes = writer.take();
        const reader = new Reader().reset(bytes, 0, cut % bytes.length);
        expect(() => {
          for (const each of fields) read(reader, each);
        }).toThrow(ProtocolError);
      }),
    );
  });

  test.each([
    ['a negative length', 'fffffffe', 'a string of length -2 in a frame with 0 bytes left'],
    ['a length over the frame', '0000000261', 'a string of length 2 in a frame with 1 bytes left'],
    ['an absurd length', '7fffffff', 'a string of length 2147483647 in a frame with 0 bytes left'],
  ])('%s', (_, hex, message) => {
    const reader = new Reader().reset(Buffer.from(hex, 'hex'));
    expect(() => reader.string()).toThrow(new ProtocolError(message));
  });
});

test("Java's null is empty", () => {
  const reader = new Reader().reset(Buffer.from('ffffffffffffffffffffffff', 'hex'));
  expect([reader.bytes(), reader.string(), reader.vector(4, () => reader.string())]).toEqual([Buffer.alloc(0), '', []]);
  reader.end();
});

test('what was read is a copy', () => {
  const bytes = Buffer.from('0000000161', 'hex');
  const value = new Reader().reset(bytes).bytes();
  bytes.fill(0);
  expect(value.toString()).toBe('a');
});
