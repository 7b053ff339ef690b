import { readTables } from '../dialect/layout/layout.ts';
import type { FoundTables } from '../dialect/layout/layout.ts';
import type { SqlSession } from '../dialect/sql-session.ts';
import { numberOf } from './errors.ts';

/** A column of each table, which it has since the present layout. */
const columns = {
  '': 'assigned_process',
  _shares: 'permits',
  _line: 'floor',
  _layout: 'readable_from',
  _fences: 'resource',
};

const routines = ['_act', '_act_and_wake', '_ended', '_give', '_head', '_inspect', '_sweep'];

/**
 * What there is of the tables and routines. A table that the user may not read, or a routine that
 * he may not call, counts as there.
 */
export async function tablesOf(session: SqlSession): Promise<FoundTables> {
  const found = new Map<string, boolean>();
  for (const [rest, column] of Object.entries(columns)) {
    // No such table, or no such column.
    found.set(rest, !(await failsWith(session, `SELECT \`${column}\` FROM \`locks${rest}\` LIMIT 0`, 1146, 1054)));
  }
  // All have the same definer, whose account may be gone.
  const orphaned = await failsWith(session, "CALL `locks_inspect`('')", 1449);
  // Without its arguments a routine does nothing.
  for (const rest of routines) {
    found.set(rest, !orphaned && !(await failsWith(session, `CALL \`locks${rest}\`()`, 1305)));
  }
  const read = 'SELECT version, readable_from FROM `locks_layout` ORDER BY version DESC LIMIT 1';
  return await readTables(session, found, read);
}

/** Whether the server refuses `sql` for one of these reasons. Another refusal says nothing. */
async function failsWith(session: SqlSession, sql: string, ...numbers: readonly number[]): Promise<boolean> {
  try {
    await session.rows(sql);
    return false;
  } catch (error) {
    const number = numberOf(error);
    if (number === undefined) throw error;
    return numbers.includes(number);
  }
}
