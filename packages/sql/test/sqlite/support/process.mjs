// How another process of the conformance suite makes its provider.
import { createRequire } from 'node:module';
import { systemRuntime } from '@locks/core/adapter';
import { createSqlProvider, fromConfig } from '@locks/sql';
import { openKnex } from '../../support/open-knex.mjs';

export function create({ url, caller, library, ...options }) {
  if (library !== undefined) {
    const Database = createRequire(import.meta.url)(library);
    return createSqlProvider(new Database(url.slice('sqlite:'.length)), options);
  }
  if (!caller) return fromConfig({ url, options, runtime: systemRuntime });
  return createSqlProvider(openKnex(url), options);
}
