/** How the value of a field travels. Numbers of 64 bits are decimal text. */
export type Kind = 'int64' | 'int32' | 'bool' | 'bytes' | 'string' | MessageType;

/** A field: its number, what it is, and whether there may be several. */
export type Field = readonly [number: number, kind: Kind, several?: 'repeated'];

/**
 * A message: its fields by their names here. Those of `oneOf` are absent where the sender gave
 * none; others then have their default.
 */
export interface MessageType {
  readonly fields: Readonly<Record<string, Field>>;
  readonly oneOf?: boolean;
}

type Value = Readonly<Record<string, unknown>>;

const varint = 0;
const fixed64 = 1;
const delimited = 2;
const fixed32 = 5;

/** Protocol Buffers without code made at run time, which some programs forbid. */
export function encode({ fields }: MessageType, value: object): Buffer {
  const pieces: Uint8Array[] = [];
  for (const [name, one] of Object.entries(value as Value)) {
    const field = fields[name];
    if (one === undefined) continue;
    if (field === undefined) throw new Error(`there is no field ${name}`);
    const [number, kind, several] = field;
    for (const each of several === undefined ? [one] : (one as readonly unknown[]))
      addField(pieces, number, kind, each);
  }
  return Buffer.concat(pieces);
}

/** Reads a message. Fields that it does not know are passed over. @throws for what is none. */
export function decode(type: MessageType, bytes: Buffer): object {
  const value: Record<string, unknown> = type.oneOf === true ? {} : defaultsOf(type);
  const byNumber = namesOf(type);
  const reader = new Reader(bytes);
  while (!reader.atEnd) {
    const tag = Number(reader.varint());
    const name = byNumber.get(Math.floor(tag / 8));
    const field = name === undefined ? undefined : type.fields[name];
    if (name === undefined || field === undefined) {
      reader.skip(tag % 8);
      continue;
    }
    const one = read(reader, field[1]);
    if (field[2] === undefined) value[name] = one;
    else (value[name] as unknown[]).push(one);
  }
  return value;
}

function addField(pieces: Uint8Array[], number: number, kind: Kind, value: unknown): void {
  if (kind === 'int64' || kind === 'int32' || kind === 'bool') {
    pieces.push(varintOf(number * 8 + varint), varintOf(Number(value) < 2 ** 53 ? Number(value) : (value as string)));
    return;
  }
  const bytes = typeof kind === 'object' ? encode(kind, value as object) : Buffer.from(value as string);
  pieces.push(varintOf(number * 8 + delimited), varintOf(bytes.length), bytes);
}

function varintOf(value: number | string): Uint8Array {
  if (typeof value === 'number' && value >= 0 && value < 128) return Uint8Array.of(value);
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) + 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function read(reader: Reader, kind: Kind): unknown {
  if (kind === 'int64') return BigInt.asIntN(64, BigInt(reader.varint())).toString();
  if (kind === 'int32') return Number(reader.varint());
  if (kind === 'bool') return Number(reader.varint()) !== 0;
  const bytes = reader.bytes();
  if (kind === 'bytes') return bytes;
  return kind === 'string' ? bytes.toString() : decode(kind, bytes);
}

const names = new WeakMap<MessageType, ReadonlyMap<number, string>>();

function namesOf(type: MessageType): ReadonlyMap<number, string> {
  let known = names.get(type);
  if (known === undefined) {
    known = new Map(Object.entries(type.fields).map(([name, [number]]) => [number, name]));
    names.set(type, known);
  }
  return known;
}

const nothing = Buffer.alloc(0);
const defaults = { int64: '0', int32: 0, bool: false, bytes: nothing, string: '' } as const;

function defaultsOf({ fields }: MessageType): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [name, [, kind, several]] of Object.entries(fields)) {
    if (several !== undefined) value[name] = [];
    else if (typeof kind === 'string') value[name] = defaults[kind];
  }
  return value;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number | bigint {
    let value = 0;
    // 49 bits are exact as a number.
    for (let factor = 1; factor < 2 ** 49; factor *= 128) {
      const byte = this.#next();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    let long = BigInt(value);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#next();
      long += BigInt(byte & 127) << shift;
      if (byte < 128) return long;
    }
    throw new Error('a number has more than 64 bits');
  }

  bytes(): Buffer {
    return this.#take(Number(this.varint()));
  }

  skip(wireType: number): void {
    if (wireType === varint) this.varint();
    else if (wireType === delimited) this.bytes();
    else if (wireType === fixed64 || wireType === fixed32) this.#take(wireType === fixed64 ? 8 : 4);
    else throw new Error(`there is no wire type ${wireType}`);
  }

  #next(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error('the message is cut off');
    this.#at += 1;
    return byte;
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Error('the message is cut off');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}
