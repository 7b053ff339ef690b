import { closing } from '@locks/test-servers';
import { createPool } from 'mysql2';
import { Pool } from 'pg';
import postgres from 'postgres';
import { createSqlProvider } from '../../src/index.ts';
import { openExecutor } from './executor.ts';
import type { Make } from './conformance.ts';

/** With a `Pool` of pg of the caller, which ends it. */
export const overPg: Make = (address, options, { poolSize }) => {
  const pool = new Pool({ connectionString: address, max: poolSize });
  pool.on('error', () => {});
  return closing(createSqlProvider(pool, options), () => pool.end());
};

/** With a pool of mysql2 of the caller, which ends it. */
export const overMysql2: Make = (address, options, { poolSize }) => {
  const pool = createPool({ uri: address, connectionLimit: poolSize });
  return closing(createSqlProvider(pool, options), () => pool.promise().end());
};

/** With an executor of the caller, which ends its connections. */
export const overExecutor: Make = (address, options, { poolSize }) => {
  const { executor, end } = openExecutor(address, poolSize);
  return closing(createSqlProvider(executor, options), end);
};

/** With a sql of postgres of the caller, which ends it. */
export const overPostgresJs: Make = (address, options, { poolSize }) => {
  const sql = postgres(address, { max: poolSize });
  return closing(createSqlProvider(sql, options), () => sql.end());
};
