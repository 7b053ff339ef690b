import { Pool } from 'pg';
import type { PoolConfig } from 'pg';

/**
 * A pool of pg as an application has it: an error of a connection ends no program. That comes even
 * after `end()`, as the database is dropped then.
 */
export function openPool(options: PoolConfig): Pool {
  const pool = new Pool(options);
  pool.on('error', () => {});
  pool.on('connect', (connection) => connection.on('error', () => {}));
  return pool;
}
