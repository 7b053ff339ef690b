// How another process of the conformance suite makes its provider.
import { createRequire } from 'node:module';
import { systemRuntime } from '@locks/core/adapter';
import { createSqlProvider, fromConfig } from '@locks/sql';
import knex from 'knex';
import libsql from 'libsql';

export function create({ url, caller, library, ...options }) {
  if (library !== undefined) {
    const Database = createRequire(import.meta.url)(library);
    return createSqlProvider(new Database(url.slice('sqlite:'.length)), options);
  }
  if (!caller) return fromConfig({ url, options, runtime: systemRuntime });
  const { constructor } = knex({ client: 'better-sqlite3', useNullAsDefault: true }).client;
  class Client extends constructor {
    _driver() {
      return libsql;
    }
  }
  const connection = { filename: url.slice('sqlite:'.length) };
  return createSqlProvider(knex({ client: Client, connection, useNullAsDefault: true }), options);
}
