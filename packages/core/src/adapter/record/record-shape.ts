/** A list whose elements all pass `check`. */
function isListOf(value: unknown, check: (one: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(check);
}

const isText = (value: unknown): boolean => typeof value === 'string';
/** Also 2^53, where tokens end. */
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown): boolean => Number.isFinite(value);
/** When an entry ends: a moment, or what was left of it and the version that renewed it. */
const isEnd = (end: readonly unknown[]): boolean => isNumber(end[0]) && end.slice(1).every(isText) && end.length <= 2;
const isKind = (kind: unknown): boolean => kind === 'x' || isCount(kind);
const isIndexIn = (list: readonly unknown[], index: unknown): boolean => isCount(index) && Number(index) < list.length;

/** Whether a parsed text is all that the record of a key has: `record-text.ts` says what. */
export function isRecordShape(value: readonly unknown[]): boolean {
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

/** Whether a parsed text is a register, with a text or without one. */
export function isRegisterShape(value: readonly unknown[]): boolean {
  return value.length === 2 && (value[1] === null || isText(value[1]));
}
