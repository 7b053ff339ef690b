/** What to do about a table or a routine of another origin, for messages. */
export const nameTaken = 'It is not of @locks/sql: set the option "table" to another name, or remove it.';
