import { createLogUpdate } from 'log-update';
import { printable } from '@locks/core/text';
import { bold, faint, shortened } from '../output/table.ts';
import { sortedKeys, statesOf } from '../state/states-of.ts';
import { drawTable, rowsOf } from './rows.ts';
import type { View } from './view.ts';

/**
 * The other rows of the screen: the title, the head, the count of further keys, and the cursor's.
 */
const otherLines = 4;

/** A table that is repeatedly redrawn on the terminal. */
export function createScreen(prefix: string): View {
  const write = createLogUpdate(process.stdout);
  const name = prefix === '' ? 'All keys' : `Keys with ${printable(prefix)}`;
  return {
    async refresh(locks) {
      const keys = await sortedKeys(locks, prefix);
      const { width, height } = size();
      const space = Math.max(1, height - otherLines);
      // Hidden keys are not queried: there may be thousands.
      const states = await statesOf(locks, keys.slice(0, space));
      const rows = states.flatMap(rowsOf);
      const hidden = keys.length - rows.slice(0, space).filter(({ key }) => key !== '').length;
      const more = hidden > 0 ? [faint(`and ${hidden} more: watch a longer prefix`)] : [];
      const free = keys.length === 0 ? [faint('nothing is held, and nothing waits')] : [];
      const drawn = rows.length === 0 ? [] : [drawTable(rows.slice(0, space), width)];
      const count = `${keys.length} held or waited for`;
      const title = bold(shortened(name, Math.max(8, width - count.length - 2)));
      write([`${title}  ${faint(count)}`, ...drawn, ...free, ...more].join('\n'));
    },
    fail: (message) => write([bold(name), printable(message), faint('It tries again.')].join('\n')),
    end: () => write.done(),
  };
}

/** Some terminals do not report their size. */
function size(): { readonly width: number; readonly height: number } {
  return { width: process.stdout.columns || 80, height: process.stdout.rows || 24 };
}
