import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

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

/** Protocol Buffers without code made at run time, which some programs forbid. */
export function encode(type: MessageType, value: object): Buffer {
  const writer = new BinaryWriter();
  addFields(writer, type, value);
  return Buffer.from(writer.finish());
}

/** Reads a message. Fields that it does not know are passed over. @throws for what is none. */
export function decode(type: MessageType, bytes: Uint8Array): object {
  const value: Record<string, unknown> = type.oneOf === true ? {} : defaultsOf(type);
  const byNumber = namesOf(type);
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const name = byNumber.get(number);
    const field = name === undefined ? undefined : type.fields[name];
    if (name === undefined || field === undefined) {
      reader.skip(wireType, number);
      continue;
    }
    const one = read(reader, field[1]);
    if (field[2] === undefined) value[name] = one;
    else (value[name] as unknown[]).push(one);
  }
  return value;
}

function addFields(writer: BinaryWriter, { fields }: MessageType, value: object): void {
  for (const [name, one] of Object.entries(value as Value)) {
    const field = fields[name];
    if (one === undefined) continue;
    if (field === undefined) throw new Error(`there is no field ${name}`);
    const [number, kind, several] = field;
    for (const each of several === undefined ? [one] : (one as readonly unknown[]))
      addField(writer, number, kind, each);
  }
}

function addField(writer: BinaryWriter, number: number, kind: Kind, value: unknown): void {
  if (typeof kind === 'object') {
    addFields(writer.tag(number, WireType.LengthDelimited).fork(), kind, value as object);
    writer.join();
  } else if (kind === 'bytes' || kind === 'string') {
    writer.tag(number, WireType.LengthDelimited).bytes(Buffer.from(value as string));
  } else {
    writer.tag(number, WireType.Varint).int64(value === true ? 1 : value === false ? 0 : (value as string));
  }
}

function read(reader: BinaryReader, kind: Kind): unknown {
  if (kind === 'int64') return String(reader.int64());
  if (kind === 'int32') return reader.int32();
  if (kind === 'bool') return reader.bool();
  if (kind === 'string') return reader.string();
  const { buffer, byteOffset, byteLength } = reader.bytes();
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return kind === 'bytes' ? bytes : decode(kind, bytes);
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
