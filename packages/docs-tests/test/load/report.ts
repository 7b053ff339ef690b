import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { plotMargins } from './plot.ts';
import type { Row } from './plot.ts';

const file = process.env['LOCKS_LOAD_FILE'];

/** Prints figures, and appends them to the file that LOCKS_LOAD_FILE names, a line of JSON each. */
export function report(what: string, store: string, figures: object): void {
  const line = JSON.stringify({ what, store, ...figures });
  console.log(line.slice(0, 1_000));
  if (file !== undefined) appendFileSync(file, `${line}\n`);
}

/** Draws the margins of that file beside it, also those of earlier runs. */
export function plot(): void {
  if (file === undefined) return;
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const all = lines.map((line) => JSON.parse(line) as Row & { readonly what: string });
  const rows = new Map(all.filter(({ what }) => what === 'partitions').map((row) => [row.store, row]));
  writeFileSync(`${file}.svg`, plotMargins([...rows.values()]));
}
