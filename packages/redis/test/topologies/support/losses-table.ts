import { readFileSync } from 'node:fs';

/** What an event costs while a lock is held: the words of the table. */
export type Outcome = 'kept' | 'two' | 'rest';

/** A cell of the table in the documentation that says something. */
export interface Cell {
  readonly event: string;
  readonly form: string;
  readonly outcome: string;
}

const page = new URL('../../../../../docs/backends/redis-topologies.md', import.meta.url);

/** The cells, row by row. */
export function readTable(): readonly Cell[] {
  const [, table = ''] = /\n(\| event .*?)\n\n/s.exec(readFileSync(page, 'utf8')) ?? [];
  const rows = table.split('\n').map((line) => line.split('|').slice(1, -1));
  const [head = [], , ...lines] = rows;
  return lines.flatMap(([event = '', ...outcomes]) =>
    outcomes
      .map((outcome, index) => ({ event: event.trim(), form: head[index + 1]?.trim() ?? '', outcome: outcome.trim() }))
      .filter(({ outcome }) => outcome !== ''),
  );
}
