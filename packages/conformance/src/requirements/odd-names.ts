/**
 * Names that some store, protocol or normalisation treats specially, all different byte by byte.
 * `u` makes them unique.
 */
export function oddNames(u: string): readonly string[] {
  const around = (pattern: string): string => pattern.replaceAll('U', u);
  return [
    // Case and white space.
    ...[u, u.toUpperCase(), ` ${u}`, `${u} `, `${u}  `, `  ${u}`],
    ...[`\t${u}`, `${u}\t`, `${u}\n`, `\n${u}`, `${u}\r\n`, `${u}\r`],
    // Separators of paths.
    ...String.raw`U/ /U U// U/. U/.. ../U ./U U/a U/a/b U//a U\a U.`.split(' ').map(around),
    // Escapes of URLs.
    ...'U%2Fa U%2fa U%252Fa U% %U U%00 U+ U%20 U?a=b U#a U&a'.split(' ').map(around),
    // What Redis takes for the hashed part of a name.
    ...'{U} {}U U{} {U}b a{U} {U U} %7BU%7D %7bU%7d {{U}} {U}{b}'.split(' ').map(around),
    // Patterns.
    ...String.raw`U* U? U[a] Ua U[!a] U\ ^U$ U_ U- U-- -U U;`.split(' ').map(around),
    // Quotes and control characters.
    ...`U" "U" 'U' U'-- U\` $(U) \${U} <U> U\u0001 U\u001b U\u007f`.split(' ').map(around),
    // Possible names of a key's companions.
    ...[':', '.', '-', '/', '~'].flatMap((separator) => suffixes.map((suffix) => `${u}${separator}${suffix}`)),
    ...suffixes.map((suffix) => `{${u}}:${suffix}`),
    ...'U~0 U~1 U-0000000001 Ulock lockU lock:U U0 U1 U01 U1.0 U1e0'.split(' ').map(around),
    // Equal after normalisation, case folding or trimming, or to a lenient collation.
    ...'\u00e9 e\u0301 e \u00c9 \u00c5 \u212b A\u030a \ufb01 fi \uff41'.split(' ').map((end) => u + end),
    ...'\u00df ss SS \u1e9e i I \u0131 \u0130 \u03c3 \u03c2'.split(' ').map((end) => u + end),
    ...['\u00a0', '\u2003', '\u2028', '\u0085'].map((end) => u + end),
    `\ufeff${u}`,
    ...['\ufeff', '\u200b', '\u200d', '\u00ad'].map((end) => u + end),
    // Outside the basic plane, private use, non-characters, right to left.
    ...['\u{1f600}', '\u{1f601}', '\u{1f468}\u200d\u{1f469}', '\ue000', '\ufffd'].map((end) => u + end),
    ...['\uffff', '\u{10ffff}', '\u202e', '\u05d0'].map((end) => u + end),
  ];
}

/**
 * Whole names that are special. They are not unique, so checks take them in turn, in this order.
 */
export const wholeNames: readonly string[] = [
  ' ',
  '\n',
  ...String.raw`% * - . .. / // 0 : ? \ _ a constructor null undefined { {} {}:queue } ~`.split(' '),
  ...['__proto__', '\u00e9', '\ufffd', '\u{1f512}'],
];

/** Pairs of names near the longest length that differ late, each pair in other places. */
export function longNames(u: string): readonly string[] {
  const filled = (length: number, unit: string): string => {
    const room = length - Buffer.byteLength(u);
    const units = Math.floor(room / Buffer.byteLength(unit));
    return u + 'x'.repeat(room - units * Buffer.byteLength(unit)) + unit.repeat(units);
  };
  const lengths = [64, 128, 191, 192, 250, 256, 500, 512];
  return [
    ...lengths.flatMap((length) => ['a', 'b'].map((last) => filled(length - 1, 'y') + last)),
    ...['\u00e9', '\u20ac', '\u{1f512}', '/', '%', '{', ' '].map((unit) => filled(512, unit)),
    ...['a', 'b'].map((last) => `${last}${filled(511, 'z')}`),
    ...['a', 'b'].map((last) => filled(255, 'z') + last + 'z'.repeat(256)),
  ];
}

const suffixes = ['queue', 'token', 'shared', 'fence', 'lock', 'wake', 'waiters', 'holders', 'permits'];
