import { nameTaken } from '../name-taken.ts';
import { numberOf } from './errors.ts';

const rights =
  'A migration creates tables and procedures: run it as a user with CREATE, DROP, SELECT, INSERT, CREATE ROUTINE and ALTER ROUTINE on the database.';

const remedies: Readonly<Record<number, string>> = {
  // No such database, for a user who may not see it; the command, the column, the routine, a privilege is denied.
  1044: rights,
  1142: rights,
  1143: rights,
  1370: rights,
  1227: rights,
  // A table has other columns.
  1054: nameTaken,
  1347: nameTaken,
};

/** What can be done about a failure of a migration. */
export function migrationRemedy(error: unknown): string | undefined {
  return remedies[numberOf(error) ?? 0];
}
