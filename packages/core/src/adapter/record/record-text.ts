import type { Hold, KeyRecord, Place, Terms } from '../../key/record.ts';
import { emptyRecord } from '../../key/record.ts';
import type { LockError } from '../../errors/lock-error.ts';
import { misconfigured } from '../../errors/lock-error.ts';

/** A claim in the queue names the process in which it waits. */
export interface StoredKey extends KeyRecord<string> {
  /** The versions of the latest writes that changed a hold, one per process. */
  writes?: readonly string[];
}
/** When an entry ends, as stored in the text. */
export type EndToText = (entry: string, until: number) => readonly (number | string)[];
/** When an entry ends, by the clock that the record is in. */
export type EndFromText = (entry: string, end: readonly (number | string)[]) => number;

/**
 * The format of the text. A process that finds a higher one refuses the key: an older version of
 * this library would lose what it does not know.
 */
const form = 1;
const exclusive = 'x';
const foreign = 'it was not written by this library; give the provider its own table';
const damaged =
  'it is corrupted: it begins like a record of this library but cannot be parsed; restore it, or delete it while no process holds the key';

type Kind = typeof exclusive | number;
type HoldText = readonly [number, string, Kind, number, 0 | 1, ...(readonly (number | string)[])];
type PlaceText = readonly [number, string, Kind, number, number, string | 0, ...(readonly (number | string)[])];
type RecordText = readonly [
  form: number,
  token: number,
  labels: readonly string[],
  processes: readonly string[],
  holds: readonly HoldText[],
  queue: readonly PlaceText[],
  writes?: readonly string[],
];

/** `record` as text. Labels and processes are stored once, as many claims share them. */
export function toText({ token, holds, queue, writes }: StoredKey, end: EndToText): string {
  const labels = new Map<string, number>();
  const processes = new Map<string, number>();
  const holdTexts = holds.map((hold) => {
    const { owner, until } = hold;
    const split = owner.indexOf('/') + 1;
    const label = indexIn(labels, owner.slice(0, split));
    const ends = end(`h${owner}`, until);
    return [label, owner.slice(split), kindOf(hold), hold.token, hold.assigned ? 1 : 0, ...ends];
  });
  const placeTexts = queue.map((place) => {
    const { owner, contact, ttl, floor = 0, until } = place;
    const split = owner.indexOf('/') + 1;
    const label = indexIn(labels, owner.slice(0, split));
    const process = indexIn(processes, contact);
    const ends = end(`p${owner}`, until);
    return [label, owner.slice(split), kindOf(place), process, ttl, floor === 0 ? 0 : String(floor), ...ends];
  });
  const more = writes === undefined ? [] : [writes];
  return JSON.stringify([form, token, [...labels.keys()], [...processes.keys()], holdTexts, placeTexts, ...more]);
}

/**
 * The record of `text`. Without a text: that of an unused key.
 * @throws `LOCK_MISCONFIGURED` where the text was not written by this library, or by a later
 * version of it.
 */
export function fromText(key: string, text: string | undefined, end: EndFromText): StoredKey {
  if (text === undefined) return emptyRecord();
  const [, token, labels, processes, holdTexts, placeTexts, writes] = parsed(key, text, isRecordShape) as RecordText;
  const owner = (label: number, rest: string): string => `${labels[label]}${rest}`;
  const holds = holdTexts.map(([label, rest, kind, held, assigned, ...ends]): Hold => {
    const name = owner(label, rest);
    return { owner: name, ...termsOf(kind), token: held, until: end(`h${name}`, ends), assigned: assigned === 1 };
  });
  const queue = placeTexts.map(([label, rest, kind, process, ttl, floor, ...ends]): Place<string> => {
    const [name, contact] = [owner(label, rest), processes[process] ?? ''];
    const until = end(`p${name}`, ends);
    return { owner: name, ...termsOf(kind), contact, ttl, floor: floor === 0 ? undefined : BigInt(floor), until };
  });
  const record: StoredKey = emptyRecord<string>();
  record.token = token;
  if (writes !== undefined) record.writes = writes;
  if (holds.length > 0) record.holds = holds;
  // The first purge looks at each position.
  if (queue.length > 0) record.queue = queue;
  return record;
}

/** The text of a key with the counter of `text` and no claims. @throws as `fromText`. */
export function withoutClaims(key: string, text: string): string {
  const { token } = fromText(key, text, () => 0);
  return toText({ ...emptyRecord(), token }, () => []);
}

/** The stored form of a register. `undefined`: it has no text. */
export function toRegisterText(text: string | undefined): string {
  return JSON.stringify([form, text ?? null]);
}

/** @throws as `fromText`. */
export function fromRegisterText(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return (parsed(name, text, isRegisterShape) as readonly [number, string | null])[1] ?? undefined;
}

function parsed(key: string, text: string, isWhole: (value: readonly unknown[]) => boolean): unknown {
  const refused = (why: string, cause?: unknown): LockError =>
    misconfigured(`The record of ${JSON.stringify(key)}`, why, { key, ...(cause !== undefined && { cause }) });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refused(foreign, error);
  }
  if (!Array.isArray(value)) throw refused(foreign);
  const found: unknown = value[0];
  if (typeof found === 'number' && found > form) throw refused(later(found));
  if (found !== form) throw refused(foreign);
  if (!isWhole(value)) throw refused(damaged);
  return value;
}

function later(found: number): string {
  return `it has format ${found}, and this version of the library reads format ${form}: upgrade the library`;
}

function indexIn(list: Map<string, number>, text: string): number {
  let index = list.get(text);
  if (index === undefined) list.set(text, (index = list.size));
  return index;
}

/** The number of permits, 0 for any number. */
function kindOf({ mode, permits }: Readonly<Terms>): Kind {
  return mode === 'exclusive' ? exclusive : (permits ?? 0);
}

function termsOf(kind: Kind): Terms {
  if (kind === exclusive) return { mode: 'exclusive', permits: undefined };
  return { mode: 'shared', permits: kind === 0 ? undefined : kind };
}

function isListOf(value: unknown, check: (one: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(check);
}

const isText = (value: unknown): boolean => typeof value === 'string';
/** Including 2^53, the limit of tokens. */
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown): boolean => Number.isFinite(value);
/** When an entry ends: a moment, or what was left of it and the version that renewed it. */
const isEnd = (end: readonly unknown[]): boolean => isNumber(end[0]) && end.slice(1).every(isText) && end.length <= 2;
const isKind = (kind: unknown): boolean => kind === 'x' || isCount(kind);
const isIndexIn = (list: readonly unknown[], index: unknown): boolean => isCount(index) && Number(index) < list.length;

function isRecordShape(value: readonly unknown[]): boolean {
  const [, token, labels, processes, holds, queue, writes = []] = value;
  if (value.length < 6 || value.length > 7 || !isCount(token) || !isListOf(writes, isText)) return false;
  if (!isListOf(labels, isText) || !isListOf(processes, isText)) return false;
  const isHold = (hold: unknown): boolean => {
    if (!Array.isArray(hold)) return false;
    const [label, rest, kind, held, assigned, ...end] = hold as readonly unknown[];
    const isOwner = isIndexIn(labels, label) && isText(rest);
    return isOwner && isKind(kind) && isCount(held) && (assigned === 0 || assigned === 1) && isEnd(end);
  };
  const isPlace = (place: unknown): boolean => {
    if (!Array.isArray(place)) return false;
    const [label, rest, kind, process, ttl, floor, ...end] = place as readonly unknown[];
    const isOwner = isIndexIn(labels, label) && isText(rest);
    const isFloor = floor === 0 || (typeof floor === 'string' && /^\d{1,16}$/.test(floor));
    return isOwner && isKind(kind) && isIndexIn(processes, process) && isNumber(ttl) && isFloor && isEnd(end);
  };
  return isListOf(holds, isHold) && isListOf(queue, isPlace);
}

function isRegisterShape(value: readonly unknown[]): boolean {
  return value.length === 2 && (value[1] === null || isText(value[1]));
}
