import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** The encoding of a field. 64-bit numbers are decimal text. */
type Kind = 'int64' | 'int32' | 'bool' | 'bytes' | 'string' | MessageType;

/** A field: its number, its kind, and whether it repeats. */
type Field = readonly [number: number, kind: Kind, several?: 'repeated'];

type Fields = Readonly<Record<string, Field>>;

/** A message: its fields by their names here, and by their numbers. */
export interface MessageType {
  readonly fields: Fields;
  readonly byNumber: ReadonlyMap<number, readonly [name: string, field: Field]>;
  /** Fields that the sender omitted are absent. In other messages they have their default. */
  readonly oneOf: boolean;
}

/** A message with these fields. */
export function message(fields: Fields, isOneOf = false): MessageType {
  const byNumber = new Map(Object.entries(fields).map((entry) => [entry[1][0], entry]));
  return { fields, byNumber, oneOf: isOneOf };
}

/** A message with exactly one of these fields. */
export function oneOf(fields: Fields): MessageType {
  return message(fields, true);
}

/** A repeated field. */
export function some(number: number, kind: Kind): Field {
  return [number, kind, 'repeated'];
}

/** Protocol Buffers without code generated at run time, which some programs forbid. */
export function encode(type: MessageType, value: object): Buffer {
  const writer = new BinaryWriter();
  addFields(writer, type, value);
  return Buffer.from(writer.finish());
}

/**
 * Reads a message, and skips unknown fields.
 * @throws for anything else.
 */
export function decode(type: MessageType, bytes: Uint8Array): object {
  const value: Record<string, unknown> = type.oneOf ? {} : defaultsOf(type);
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const known = type.byNumber.get(number);
    if (known === undefined) {
      reader.skip(wireType, number);
      continue;
    }
    const [name, [, kind, several]] = known;
    const one = read(reader, kind);
    if (several === undefined) value[name] = one;
    else (value[name] as unknown[]).push(one);
  }
  return value;
}

function addFields(writer: BinaryWriter, { fields }: MessageType, value: object): void {
  for (const [name, one] of Object.entries(value)) {
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

const defaults = { int64: '0', int32: 0, bool: false, bytes: Buffer.alloc(0), string: '' } as const;

function defaultsOf({ fields }: MessageType): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [name, [, kind, several]] of Object.entries(fields)) {
    if (several !== undefined) value[name] = [];
    else if (typeof kind === 'string') value[name] = defaults[kind];
  }
  return value;
}
