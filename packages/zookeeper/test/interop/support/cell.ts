import { appendFile } from 'node:fs/promises';
import { inject, test } from 'vitest';
import type { Column } from './table.ts';

/** A test whose outcome stands in the table that is printed at the end. */
export function cell(row: string, column: Column, title: string, check: () => Promise<void>): void {
  test(`${row}: ${title}`, async () => {
    let outcome = 'FAILED';
    try {
      await check();
      outcome = 'ok';
    } finally {
      await appendFile(inject('interopTable'), `${JSON.stringify([row, column, outcome])}\n`);
    }
  });
}
