// A knex as a user of this package has it, also for processes of their own.
import knexOf from 'knex';
import libsql from 'libsql';

export function openKnex(connection, options, library = libsql) {
  const url = connection.uri ?? connection;
  // It does not write of its connections into the output of the tests.
  const all = { log: { warn() {} }, ...options };
  if (!url.startsWith('sqlite:')) {
    return knexOf({ client: url.startsWith('mysql') ? 'mysql2' : 'pg', connection, pool: { min: 0, max: 4 }, ...all });
  }
  const { constructor } = knexOf({ client: 'better-sqlite3', useNullAsDefault: true }).client;
  class Client extends constructor {
    _driver() {
      return library;
    }
  }
  const filename = url.slice('sqlite:'.length);
  return knexOf({ client: Client, connection: { filename }, useNullAsDefault: true, ...all });
}
