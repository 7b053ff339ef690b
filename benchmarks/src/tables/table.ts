import Table from 'cli-table3';
import type { CharName } from 'cli-table3';
import type { Result } from '../results.ts';

/** One column of a table. */
export interface Column {
  readonly head: string;
  readonly of: (result: Result) => string;
}

/** Columns are set apart by two blanks, and by nothing else. */
const lines = ['top', 'bottom', 'left', 'right', 'mid'];
const parts = lines.flatMap((line) => ['', '-mid', '-left', '-right'].map((part) => [`${line}${part}`, '']));
const chars = { ...Object.fromEntries(parts), middle: '  ' } as Record<CharName, string>;

/** Aligned text: the first column to the left, figures to the right. */
export function formatTable(title: string, columns: readonly Column[], results: readonly Result[]): string {
  const table = new Table({
    chars,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    head: columns.map(({ head }) => head),
    colAligns: columns.map((_, index) => (index === 0 ? 'left' : 'right')),
  });
  table.push(...results.map((result) => columns.map(({ of }) => of(result))));
  return `\n## ${title}\n${table.toString()}`;
}
