// A knex in a process of its own, as a user of this package has it.
import knexOf from 'knex';
import libsql from 'libsql';

export function openKnex(url, options) {
  if (!url.startsWith('sqlite:')) {
    return knexOf({ client: url.startsWith('mysql') ? 'mysql2' : 'pg', connection: url, ...options });
  }
  const { constructor } = knexOf({ client: 'better-sqlite3', useNullAsDefault: true }).client;
  class Client extends constructor {
    _driver() {
      return libsql;
    }
  }
  return knexOf({
    client: Client,
    connection: { filename: url.slice('sqlite:'.length) },
    useNullAsDefault: true,
    ...options,
  });
}
