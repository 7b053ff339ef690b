import knex from 'knex';
import type { Knex } from 'knex';
import { connections, dialectOf } from './subject.ts';

/** It would print a stack for each wait for a connection that the end of a party cuts short. */
const log = { debug() {}, warn() {}, error() {}, deprecate() {} };

/** A knex as an application has one. */
export function openKnex(url: string): Knex {
  const client = dialectOf(url) === 'mariadb' ? 'mysql2' : 'pg';
  return knex({ client, connection: url, pool: { min: 0, max: connections }, log });
}
