import { printable } from '@locks/core/text';
import { shortened, table } from '../output/table.ts';
import { holderColumns, keyText } from '../state/state-text.ts';
import type { KeyState } from '../state/states-of.ts';

/** A row of the table: a holder or a waiter of a key. */
export interface WatchRow {
  /** Empty except in the first row of a key. */
  readonly key: string;
  readonly owner: string;
  readonly mode: string;
  readonly token: string;
  readonly free: string;
  readonly waiters: string;
}

/** How many waiters get a row. The total is shown in any case. */
const shownInQueue = 5;

/** One row for each holder, then one for each of the first waiters. The first has the key. */
export function rowsOf({ key, holders, waiters, run, queue = [] }: KeyState): readonly WatchRow[] {
  // A column of the screen has no room for the number of permits.
  const columns = holders.map((holder) => holderColumns(holder).with(1, run?.state ?? holder.mode));
  if (columns.length === 0) columns.push(['–']);
  queue.slice(0, shownInQueue).forEach(({ owner, mode }, place) => {
    columns.push([printable(owner), mode, '', `waiter ${place + 1}`]);
  });
  return columns.map(([owner = '', mode = '', token = '', free = ''], index) => {
    const first = index === 0;
    return { key: first ? keyText(key) : '', owner, mode, token, free, waiters: first ? String(waiters) : '' };
  });
}

/** The columns but the key and the owner, with their widths. */
const columns = [
  { name: 'mode', head: 'MODE', width: 9 },
  { name: 'token', head: 'TOKEN', width: 16 },
  { name: 'free', head: 'EXPIRES IN', width: 16 },
  { name: 'waiters', head: 'WAITERS', width: 7 },
] as const;

/** A narrow screen omits the first of them, then the second, … */
const dispensable: readonly string[] = ['mode', 'token', 'waiters'];

/** With less, keys and owners are unreadable. */
const leastWidth = 16;

/** A table of at most `width` columns, except on a very narrow screen. */
export function drawTable(rows: readonly WatchRow[], width: number): string {
  let shown: readonly (typeof columns)[number][] = columns;
  const half = (): number => Math.floor((width - 2 - shown.reduce((sum, column) => sum + 2 + column.width, 0)) / 2);
  for (const name of dispensable) {
    if (half() < leastWidth) shown = shown.filter((column) => column.name !== name);
  }
  const most = Math.max(4, half());
  const cells = rows.map((row) => [
    shortened(row.key, most),
    shortened(row.owner, most),
    ...shown.map(({ name }) => row[name]),
  ]);
  return table(['KEY', 'OWNER', ...shown.map(({ head }) => head)], cells);
}
