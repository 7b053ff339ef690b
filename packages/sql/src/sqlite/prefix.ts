/**
 * The first string after all that begin with `prefix`, in the order of their UTF-8 bytes;
 * `undefined`: there is none.
 */
export function successor(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.length > 0) {
    const last = points.pop() ?? 0;
    if (last === 0x10ffff) continue;
    // Surrogates are no code points of a text.
    points.push(last === 0xd7ff ? 0xe000 : last + 1);
    return String.fromCodePoint(...points);
  }
  return undefined;
}
