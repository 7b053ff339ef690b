import { createRequire } from 'node:module';
import knex from 'knex';
import type { Knex } from 'knex';
import Libsql from 'libsql';
import { onTestFinished } from 'vitest';
import type { TestFile } from './file.ts';

const require = createRequire(import.meta.url);
const Client = require('knex/lib/dialects/better-sqlite3/index.js') as typeof Knex.Client;

/** A knex as somebody has it for his own tables: better-sqlite3's client, and nothing set up for locks. */
export function callersKnex({ path }: Pick<TestFile, 'path'>, more: object = {}): Knex {
  const instance = knex({
    // libsql stands in for better-sqlite3, which needs a compiler.
    client: class extends Client {
      _driver(): unknown {
        return Libsql;
      }
    },
    connection: { filename: path },
    useNullAsDefault: true,
    log: { warn() {}, error() {}, debug() {}, deprecate() {} },
    ...more,
  });
  onTestFinished(() => instance.destroy());
  return instance;
}
