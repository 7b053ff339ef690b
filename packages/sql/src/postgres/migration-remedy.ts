import { nameTaken } from '../name-taken.ts';
import { stateOf } from './errors.ts';

const remedies: Readonly<Record<string, string>> = {
  // A table, a type, a function of that name; a table that has other columns.
  '42P07': nameTaken,
  '42710': nameTaken,
  '42723': nameTaken,
  '42703': nameTaken,
  '42501':
    'A migration creates tables and functions: run it as a user with USAGE and CREATE on the schema, who owns the tables that are there.',
  '3F000': 'Create the schema first, or set the option "schema" to one that is there.',
};

/** What can be done about a failure of a migration. */
export function migrationRemedy(error: unknown): string | undefined {
  return remedies[stateOf(error) ?? ''];
}
