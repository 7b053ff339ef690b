import { errorText } from '../errors/foreign-errors.ts';

/** How keys, owners, times and errors are written for people, in a terminal or on a page. */
export { labelOf } from './label-of.ts';

/** How a key is held or wanted: `exclusive`, `shared`, `shared of 5`. */
export function modeText({ mode, permits }: { readonly mode: string; readonly permits?: number | undefined }): string {
  return permits === undefined ? mode : `${mode} of ${permits}`;
}

const collator = new Intl.Collator('en', { numeric: true });

/** Natural order: `job/2` before `job/10`. Only equal texts are equal. */
export function naturally(one: string, other: string): number {
  return collator.compare(one, other) || (one < other ? -1 : Number(one > other));
}

/** What a screen could take for a command, or what would break a line or a column. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/**
 * `text` in one line that is safe to show: control characters, and those that change the direction
 * of writing, are escaped as in JavaScript. Different texts look different.
 */
export function printable(text: string): string {
  return text.replaceAll(unsafe, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return short[character] ?? (code.length > 2 ? `\\u{${code}}` : `\\x${code.padStart(2, '0')}`);
  });
}

/** `ms` for people: `850 ms`, `12.3 s`, `4 min 5 s`, `2 h 3 min`. */
export function span(ms: number | undefined): string {
  if (ms === undefined) return '';
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** A time for people, in UTC: `2026-11-29T03:00Z`, with seconds if they are not 0. */
export function timeText(time: Date | 'ever'): string {
  return time === 'ever' ? time : time.toISOString().replace(/(?::00)?\.000Z$/, 'Z');
}

/** The text of `error` and of its causes, one after the other. */
export function messageOf(error: unknown): string {
  const texts: string[] = [];
  for (
    let next = error;
    next !== undefined && texts.length < 5;
    next = next instanceof Error ? next.cause : undefined
  ) {
    const text = errorText(next);
    // Many messages quote their cause.
    if (text !== '' && !texts.some((other) => other.includes(text))) texts.push(text);
  }
  return texts.join(' Cause: ');
}
