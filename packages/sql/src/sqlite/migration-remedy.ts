import { nameTaken } from '../name-taken.ts';

/** What can be done about a failure of a migration. */
export function migrationRemedy(error: unknown): string | undefined {
  const taken = error instanceof Error && /already exists|no such column/.test(error.message);
  return taken ? nameTaken : undefined;
}
