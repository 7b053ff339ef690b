/**
 * Names that some store, protocol or normalisation treats specially, all different byte by byte.
 * `u` makes them unique.
 */
export function oddNames(u: string): readonly string[] {
  return [
    ...[
      u,
      u.toUpperCase(),
      ` ${u}`,
      `${u} `,
      `${u}  `,
      `  ${u}`,
      `\t${u}`,
      `${u}\t`,
      `${u}\n`,
      `\n${u}`,
      `${u}\r\n`,
      `${u}\r`,
    ],
    ...[
      `${u}/`,
      `/${u}`,
      `${u}//`,
      `${u}/.`,
      `${u}/..`,
      `../${u}`,
      `./${u}`,
      `${u}/a`,
      `${u}/a/b`,
      `${u}//a`,
      `${u}\\a`,
      `${u}.`,
    ],
    ...[
      `${u}%2Fa`,
      `${u}%2fa`,
      `${u}%252Fa`,
      `${u}%`,
      `%${u}`,
      `${u}%00`,
      `${u}+`,
      `${u}%20`,
      `${u}?a=b`,
      `${u}#a`,
      `${u}&a`,
    ],
    ...[
      `{${u}}`,
      `{}${u}`,
      `${u}{}`,
      `{${u}}b`,
      `a{${u}}`,
      `{${u}`,
      `${u}}`,
      `%7B${u}%7D`,
      `%7b${u}%7d`,
      `{{${u}}}`,
      `{${u}}{b}`,
    ],
    ...[
      `${u}*`,
      `${u}?`,
      `${u}[a]`,
      `${u}a`,
      `${u}[!a]`,
      `${u}\\`,
      `^${u}$`,
      `${u}_`,
      `${u}-`,
      `${u}--`,
      `-${u}`,
      `${u};`,
    ],
    ...[
      `${u}"`,
      `"${u}"`,
      `'${u}'`,
      `${u}'--`,
      `${u}\``,
      `$(${u})`,
      `\${${u}}`,
      `<${u}>`,
      `${u}\u0001`,
      `${u}\u001b`,
      `${u}\u007f`,
    ],
    // What companions of a key may be called.
    ...[':', '.', '-', '/', '~'].flatMap((separator) => suffixes.map((suffix) => `${u}${separator}${suffix}`)),
    ...suffixes.map((suffix) => `{${u}}:${suffix}`),
    ...[
      `${u}~0`,
      `${u}~1`,
      `${u}-0000000001`,
      `${u}lock`,
      `lock${u}`,
      `lock:${u}`,
      `${u}0`,
      `${u}1`,
      `${u}01`,
      `${u}1.0`,
      `${u}1e0`,
    ],
    // Equal after normalisation, case folding or trimming, or to a lenient collation.
    ...[
      `${u}\u00e9`,
      `${u}e\u0301`,
      `${u}e`,
      `${u}\u00c9`,
      `${u}\u00c5`,
      `${u}\u212b`,
      `${u}A\u030a`,
      `${u}\ufb01`,
      `${u}fi`,
      `${u}\uff41`,
    ],
    ...[
      `${u}\u00df`,
      `${u}ss`,
      `${u}SS`,
      `${u}\u1e9e`,
      `${u}i`,
      `${u}I`,
      `${u}\u0131`,
      `${u}\u0130`,
      `${u}\u03c3`,
      `${u}\u03c2`,
    ],
    ...[
      `${u}\u00a0`,
      `${u}\u2003`,
      `${u}\u2028`,
      `${u}\u0085`,
      `\ufeff${u}`,
      `${u}\ufeff`,
      `${u}\u200b`,
      `${u}\u200d`,
      `${u}\u00ad`,
    ],
    // Outside the basic plane, private use, non-characters, right to left.
    ...[
      `${u}\u{1f600}`,
      `${u}\u{1f601}`,
      `${u}\u{1f468}\u200d\u{1f469}`,
      `${u}\ue000`,
      `${u}\ufffd`,
      `${u}\uffff`,
      `${u}\u{10ffff}`,
      `${u}\u202e`,
      `${u}\u05d0`,
    ],
  ];
}

/**
 * Whole names that are special. They are not unique, so checks take them in turn, in this order.
 */
export const wholeNames: readonly string[] = [
  ...[
    ' ',
    '\n',
    '%',
    '*',
    '-',
    '.',
    '..',
    '/',
    '//',
    '0',
    ':',
    '?',
    '\\',
    '_',
    'a',
    'constructor',
    'null',
    'undefined',
    '{',
    '{}',
    '{}:queue',
    '}',
    '~',
  ],
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
