/** One migration of the layout, in one dialect, with the default names. */
export interface Migration {
  readonly name: string;
  readonly up: readonly string[];
  readonly down: readonly string[];
}

/** What to do about a table or routine of another origin, for messages. */
export const nameTaken = 'It does not belong to @locks/sql: set the option "table" to another name, or remove it.';
