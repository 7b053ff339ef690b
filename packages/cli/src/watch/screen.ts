import type { LockState } from '@locks/core';
import { createLogUpdate } from 'log-update';
import { printable } from '@locks/ui/text';
import { bold, faint, shortened, table } from '../output/table.ts';
import { holderColumns } from '../state/state-text.ts';
import { sortedKeys, statesOf } from '../state/states-of.ts';
import type { View } from './view.ts';

/** Lines beside the rows: the title, the head, the count of further keys, and the cursor's. */
const otherLines = 4;

const head = ['KEY', 'OWNER', 'MODE', 'TOKEN', 'FREE AGAIN IN', 'WAITERS'];

/** The columns but the key and the owner, and the spaces between all. */
const otherColumns = 9 + 16 + 16 + 7 + 2 * (head.length - 1);

/** A table on the terminal that is written over again and again. */
export function createScreen(prefix: string): View {
  const write = createLogUpdate(process.stdout);
  const title = bold(prefix === '' ? 'All keys' : `Keys with ${printable(prefix)}`);
  return {
    async refresh(locks) {
      const keys = await sortedKeys(locks, prefix);
      const space = Math.max(1, process.stdout.rows - otherLines);
      // Those that are not shown are not asked for: there may be thousands.
      const states = await statesOf(locks, keys.slice(0, space));
      const rows = states.flatMap(rowsOf);
      const hidden = keys.length - rows.slice(0, space).filter(([key]) => key !== '').length;
      const more = hidden > 0 ? [faint(`and ${hidden} more: watch a longer prefix`)] : [];
      const free = keys.length === 0 ? [faint('nothing is held, and nothing waits')] : [];
      const drawn = rows.length === 0 ? [] : [table(head, rows.slice(0, space))];
      write([`${title}  ${faint(`${keys.length} held or waited for`)}`, ...drawn, ...free, ...more].join('\n'));
    },
    fail: (message) => write([title, printable(message), faint('It tries again.')].join('\n')),
    end: () => write.done(),
  };
}

/** So many of those in line have a row. The number of all of them is told in any case. */
const shownInLine = 5;

/** One row for each holder, then one for each of the first in line. The first has the key. */
function rowsOf({ key, holders, waiters, line = [] }: LockState): readonly (readonly string[])[] {
  const width = Math.max(16, Math.floor((process.stdout.columns - otherColumns) / 2));
  const columns = holders.map(holderColumns);
  if (columns.length === 0) columns.push(['–', '', '', '']);
  line.slice(0, shownInLine).forEach(({ owner, mode }, place) => {
    columns.push([printable(owner), mode, '', `waits, place ${place + 1}`]);
  });
  return columns.map(([owner = '', ...others], index) => {
    const first = index === 0;
    const named = first ? shortened(printable(key), width) : '';
    return [named, shortened(owner, width), ...others, first ? String(waiters) : ''];
  });
}
