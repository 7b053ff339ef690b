/**
 * The text of a register in a member of a composite: `12.ab:text`, or `12.ab~2~tag:text` where the
 * member promised version 14. A process that uses the store alone reads it, and writes `15:text`.
 */
export interface VersionedText {
  /** Of the value. -1: no value. 0: a text without a version, written in this store alone. */
  readonly version: number;
  /** The store rejects lower versions. -1: it is empty. */
  readonly promised: number;
  /** The version in which the value was proposed. A composite may settle it in a later one. */
  readonly origin: number;
  /** The origin of the value before. -1: unknown. */
  readonly before: number;
  /** The text for users. */
  readonly value: string | undefined;
  /** As stored. */
  readonly text: string | undefined;
}

/** The characters of a text for versions, of up to 9 digits. */
export const versionLength = 25;
const form = /^(?:(\d{1,9})(?:\.(\w)(\w))?)?(?:~(\w{1,4})~[\w-]{1,4})?:(.*)$/;

/** Parses the text of a register in a store. */
export function readVersioned(text: string | undefined): VersionedText {
  if (text === undefined) return { version: -1, promised: -1, origin: -1, before: -1, value: undefined, text };
  const [, number, toOrigin = '0', toBefore, more, rest = ''] = form.exec(text) ?? [];
  const plain = number === undefined && more === undefined;
  if (plain) return { version: 0, promised: 0, origin: 0, before: -1, value: text, text };
  const version = number === undefined ? -1 : Number(number);
  const origin = version - Number.parseInt(toOrigin, 36);
  return {
    version,
    promised: Math.max(version, 0) + Number.parseInt(more ?? '0', 36),
    origin,
    before: toBefore === undefined ? -1 : origin - Number.parseInt(toBefore, 36),
    value: rest === '' ? undefined : rest,
    text,
  };
}

/** The text of a store that accepts a value. A removed text leaves its version. */
export function taken({ version, origin, before, value = '' }: Omit<VersionedText, 'promised' | 'text'>): string {
  const [first, second] = [version - origin, origin - before].map((steps) => steps.toString(36));
  // An origin of too many versions ago is omitted.
  const isKnown = before >= 0 && first?.length === 1 && second?.length === 1;
  return `${version}${isKnown ? `.${first}${second}` : ''}:${value}`;
}

/** The text of a store that promised a version to the process with `tag`, and keeps its value. */
export function promise(promised: number, tag: string, kept: VersionedText): string {
  const more = (promised - Math.max(kept.version, 0)).toString(36);
  const head = kept.version < 0 ? ':' : taken(kept);
  const end = head.indexOf(':');
  return `${head.slice(0, end)}~${more}~${tag}${head.slice(end)}`;
}

/** The text that follows `before` in a store that is used alone. */
export function following({ promised }: VersionedText, value: string | undefined): string {
  const version = Math.max(promised, 0) + 1;
  return taken({ version, origin: version, before: -1, value });
}
