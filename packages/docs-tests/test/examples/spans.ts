/** Work that began and ended, in ms of the clock of the host. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/**
 * The spans that processes told, each in two lines: a time in ISO 8601, and a text that `pattern`
 * matches. Its groups are `begins` or `ends`, and a name.
 */
export function spansOf(processes: readonly { readonly lines: readonly string[] }[], pattern: RegExp): Span[] {
  return processes.flatMap(({ lines }) => {
    const begins = new Map<string, number>();
    return lines.flatMap((line) => {
      const [, time = '', text = ''] = /^(\S+Z) (.*)$/.exec(line) ?? [];
      const [, event, name = ''] = pattern.exec(text) ?? [];
      const begin = begins.get(name);
      if (event === 'begins') begins.set(name, Date.parse(time));
      return event === 'ends' && begin !== undefined ? [{ begin, end: Date.parse(time) }] : [];
    });
  });
}

/** How many of them there were at once at most. One that ends when another begins is over. */
export function mostAtOnce(spans: readonly Span[]): number {
  const at = (time: number): number => spans.filter(({ begin, end }) => begin <= time && time < end).length;
  return Math.max(0, ...spans.map(({ begin }) => at(begin)));
}
