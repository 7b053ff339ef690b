import { styleText } from 'node:util';
import stringWidth from 'string-width';

/** `rows` in columns under `head`, without a trailing newline. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => stringWidth(row[column] ?? ''))));
  const draw = (cells: readonly string[], style = (text: string): string => text): string => {
    const padded = cells.map((cell, column) => style(cell) + ' '.repeat((widths[column] ?? 0) - stringWidth(cell)));
    return padded.join('  ').trimEnd();
  };
  return [draw(head, bold), ...rows.map((row) => draw(row))].join('\n');
}

/** Bold on a terminal, unless `NO_COLOR` is set. */
export function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
}

/** Faint on a terminal, unless `NO_COLOR` is set. */
export function faint(text: string): string {
  return styleText('dim', text, { stream: process.stdout });
}

const segmenter = new Intl.Segmenter();

/** `text`, cut to `width` columns: wide characters take two. */
export function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let short = '';
  for (const { segment } of segmenter.segment(text)) {
    if (stringWidth(`${short}${segment}…`) > width) break;
    short += segment;
  }
  return `${short}…`;
}
