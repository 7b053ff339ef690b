/** What a screen could take for a command, or what would break a line or a column. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/**
 * `text` in one line that is safe to show: control characters, and those that change the direction
 * of writing, are escaped as in JavaScript. No two texts look the same.
 */
export function printable(text: string): string {
  return text.replaceAll(unsafe, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return short[character] ?? (code.length > 2 ? `\\u{${code}}` : `\\x${code.padStart(2, '0')}`);
  });
}
