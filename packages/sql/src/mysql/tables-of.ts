import { readTables } from '../dialect/layout/layout.ts';
import type { FoundTables } from '../dialect/layout/layout.ts';
import type { SqlSession } from '../dialect/layout/sql-session.ts';
import { textOf } from './connection/session.ts';
import { numberOf } from './connection/errors.ts';

/** A column that each table has since the present layout. */
const columns = {
  '': 'assigned_process',
  _shares: 'permits',
  _queue: 'floor',
  _layout: 'readable_from',
  _fences: 'resource',
};

const routines = ['_act', '_act_and_wake', '_inspect', '_sweep'];
/** The routines that they call, which the user of a service cannot see. */
const inner = ['_ended', '_give', '_head'];

/**
 * The existing tables and routines. A user sees only those with a right: a table that cannot be
 * read counts as existing.
 */
export async function tablesOf(session: SqlSession): Promise<FoundTables> {
  const { table, schema } = session.names;
  const found = new Map<string, boolean>();
  for (const [rest, column] of Object.entries(columns)) {
    // Unknown table, or unknown column.
    found.set(rest, !(await failsWith(session, `SELECT \`${column}\` FROM \`locks${rest}\` LIMIT 0`, 1146, 1054)));
  }
  const rows = await session.rows(
    "SELECT routine_name AS name FROM information_schema.routines WHERE routine_schema = COALESCE(?, DATABASE()) AND routine_type = 'PROCEDURE'",
    schema ?? null,
  );
  const there = new Set(rows.map(({ name }) => textOf(name)));
  // All have the same definer, whose account may be gone.
  const orphaned = there.has(`${table}_inspect`) && (await failsWith(session, "CALL `locks_inspect`('')", 1449));
  const isThere = (rest: string): boolean => there.has(`${table}${rest}`);
  for (const rest of routines) found.set(rest, isThere(rest) && !orphaned);
  const hidden = routines.every(isThere) && !inner.some(isThere);
  for (const rest of inner) found.set(rest, isThere(rest) || hidden);
  const read = 'SELECT version, readable_from FROM `locks_layout` ORDER BY version DESC LIMIT 1';
  return await readTables(session, found, read);
}

/** Whether the server refuses `sql` with one of these numbers. Other refusals prove nothing. */
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
