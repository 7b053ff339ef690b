import { LockError } from '../errors/lock-error.ts';
import { describe } from './key.ts';
import { locksOptionNames } from './locks-option-names.ts';
import type { OptionSource } from './option-reader.ts';

/** The error for an unknown option. It names the nearest options, if any. */
export function unknownOption(name: string, known: readonly string[], source: OptionSource): LockError {
  const { where, code, text, elsewhere } = source;
  const end = `Known options: ${known.join(', ')}.${elsewhere === undefined ? '' : ` ${elsewhere}`}`;
  const shown = isShown(name) ? describe(name) : '(not shown: it may be part of a password)';
  return new LockError(code, `${where}: unknown option ${shown}.${hint(name, known, text)} ${end}`);
}

function hint(name: string, known: readonly string[], text: boolean | undefined): string {
  // A URL's query may contain options of the client, and the adapter gets misspelt ones.
  const candidates = text ? [...new Set([...locksOptionNames, ...known])] : known;
  if (candidates.includes(name))
    return ` "${name}" is an option of the client, not of the adapter: put it next to "options".`;
  const near = nearest(name, candidates).map((each) => `"${each}"`);
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
}

/** All candidates with the fewest differences from `name`, if those are few. */
export function nearest(name: string, candidates: readonly string[]): readonly string[] {
  let least = Infinity;
  let found: string[] = [];
  for (const candidate of candidates) {
    const differences = distance(candidate.toLowerCase(), name.toLowerCase());
    // Any two names of three letters have something in common.
    const most = Math.max(candidate.length, name.length) > 3 ? 2 : 1;
    if (differences > most || differences > least) continue;
    if (differences < least) found = [];
    least = differences;
    found.push(candidate);
  }
  return found;
}

/** Levenshtein's: the characters to insert, drop or replace. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let column = 1; column < row.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (character === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** A word, or a number with its unit. A password mixes both, or is longer. */
const plain = /^(?:\p{L}{1,16}|\d{1,16}|\d[\da-z]{1,3})$/iu;
/** Separators of a URL, and between a name and its value: a secret may follow. */
const separators = /[=;&@:?#%|\\]/;

/**
 * Whether a message may show `text` of a configuration: an unknown option or a wrong value. In a
 * malformed URL, it may be a part of a password.
 */
export function isShown(text: string): boolean {
  if (text.length > 40 || separators.test(text)) return false;
  return text
    .split(/[^\p{L}\d]+/u)
    .filter((part) => part !== '')
    .every((part) => plain.test(part));
}

/** Marks of a URL, rare in the path of a file and in the name of a module. */
const ofUrl = /:\/|[^/\\]@|[?=&#;%]|^(?!file:|node:)[a-z][\w+.-]+:/i;

/** Whether a path, or the name of a module, may be a URL with a password. */
export function mayBeUrl(path: string): boolean {
  return ofUrl.test(path.replace(/^file:\/+/i, ''));
}

/** Such a path, for messages. */
export function shownPath(path: string): string {
  return mayBeUrl(path) ? '(not shown: it may be a URL with a password)' : `"${path}"`;
}
