import { styleText } from 'node:util';
import Table from 'cli-table3';
import stringWidth from 'string-width';

const nothing = '';
const lines = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
] as const;

/** `rows` in columns under `head`, without a line end. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const drawn = new Table({
    head: head.map((title) => bold(title)),
    chars: { ...Object.fromEntries(lines.map((line) => [line, nothing])), middle: '  ' },
    // By default it writes colours into pipes, too.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  drawn.push(...rows.map((row) => [...row]));
  return drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
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

/** `text`, at most so many columns wide: wide characters take two. */
export function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let short = '';
  for (const { segment } of segmenter.segment(text)) {
    if (stringWidth(`${short}${segment}…`) > width) break;
    short += segment;
  }
  return `${short}…`;
}
