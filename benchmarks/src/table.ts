import type { Result } from './results.ts';

/** One column of a table. */
export interface Column {
  readonly head: string;
  readonly of: (result: Result) => string;
}

/** Aligned text: the first column to the left, figures to the right. */
export function formatTable(title: string, columns: readonly Column[], results: readonly Result[]): string {
  const rows = [columns.map(({ head }) => head), ...results.map((result) => columns.map(({ of }) => of(result)))];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [`\n## ${title}`, ...lines].join('\n');
}

const none = '-';

/** `value` with so many digits after the point; thousands are set apart. */
export function figure(value: number | undefined, digits = 0): string {
  if (value === undefined || Number.isNaN(value)) return none;
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: value >= 10_000,
  });
}

/** `median [low–high]`. */
export function ratio(median: number | undefined, low: number | undefined, high: number | undefined): string {
  return median === undefined ? none : `${figure(median, 2)} [${figure(low, 2)}–${figure(high, 2)}]`;
}

/** The first column of most tables. */
export const subjectColumn: Column = { head: '', of: ({ subject }) => subject };
