import Libsql from 'libsql';
import PromiseLibsql from 'libsql/promise';
import { createConnection } from 'mysql2';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import { locksOver } from '../support/locks-over.ts';
import { misconfigured } from '../../../core/test/support/lock-error.ts';

/** A database in memory, whose statements are changed by `change`. */
function changedLibsql(change: (statement: Libsql.Statement) => object): object {
  const database = new Libsql(':memory:');
  onTestFinished(() => void database.close());
  return {
    prepare: (sql: string) => change(database.prepare(sql)),
    exec: (sql: string) => database.exec(sql),
    close: () => database.close(),
  };
}

test.each<readonly [string, () => unknown, RegExp]>([
  ['nothing', () => undefined, /it needs a knex instance, a Pool of pg.*not undefined/],
  ['a URL', () => 'postgres://localhost', /not a string; pass it to openLocks/],
  ['one connection of pg', () => new Client(), /not one connection of pg; pass the Pool/],
  [
    'one connection of mysql2',
    () => {
      const connection = createConnection({ uri: inject('mariadbUrl') });
      connection.on('error', () => {});
      onTestFinished(() => connection.destroy());
      return connection;
    },
    /not one connection of mysql2; pass the pool/,
  ],
  ['a database of Drizzle', () => ({ $client: {} }), /pass its \$client/],
  [
    'an executor of no connection',
    () => ({ database: 'postgres', max: 0, connect() {} }),
    /"max" of a PostgresExecutor is a whole number from 1, not 0/,
  ],
  [
    'a pool of the library mysql',
    () => ({ getConnection() {}, releaseConnection() {}, config: { connectionConfig: {} } }),
    /not a pool of mysql; pass one of mysql2/,
  ],
  ['a database of libsql/promise', () => new PromiseLibsql(':memory:', {}), /default rows and named parameters/],
  [
    'a database whose rows are arrays, as with returnArrays of node:sqlite',
    () => changedLibsql((statement) => ({ all: (values: object) => statement.raw(true).all(values) })),
    /its rows have no names/,
  ],
  [
    'a database without bare named parameters, as node:sqlite can have it',
    () =>
      changedLibsql((statement) => ({
        all(values: object) {
          const bare = Object.keys(values).find((name) => !name.startsWith(':'));
          if (bare !== undefined) throw new Error(`Unknown named parameter '${bare}'`);
          return statement.all(values);
        },
      })),
    /Unknown named parameter 'one'/,
  ],
  [
    'a database of sql.js, whose statements have no all()',
    () => changedLibsql(() => ({ step() {}, getAsObject() {} })),
    /all is not a function/,
  ],
  ['a map', () => new Map(), /not an object of class Map/],
  ['an empty object', () => ({}), /not another object/],
])('%s is refused by name', (_name, make, message) => {
  expect(() => createSqlProvider(make() as never)).toThrow(message);
});

test('a client that fails by a TypeError is named at the first call', async () => {
  const executor = {
    database: 'postgres',
    max: 1,
    connect: async () => ({ release() {} }),
  } as const;
  const { locks } = locksOver(executor as never);
  await expect(locks.acquire('job')).rejects.toMatchObject(
    misconfigured(/query is not a function.*does not support this client/),
  );
});
