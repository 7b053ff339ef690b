// A process of its own that creates the tables of the database at the URL that it is given, when it is told.
import { once } from 'node:events';
import { migrate } from '@locks/sql';
import knexOf from 'knex';
import libsql from 'libsql';

const [url] = process.argv.slice(2);

function open() {
  if (!url.startsWith('sqlite:')) return knexOf({ client: url.startsWith('mysql') ? 'mysql2' : 'pg', connection: url });
  const { constructor } = knexOf({ client: 'better-sqlite3', useNullAsDefault: true }).client;
  class Client extends constructor {
    _driver() {
      return libsql;
    }
  }
  return knexOf({ client: Client, connection: { filename: url.slice('sqlite:'.length) }, useNullAsDefault: true });
}

process.send('ready');
await once(process, 'message');
const knex = open();
await migrate(knex);
await knex.destroy();
process.disconnect();
