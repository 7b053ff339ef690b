import { closing } from '@locks/test-servers';
import { createPool } from 'mysql2';
import { Pool } from 'pg';
import postgres from 'postgres';
import { createSqlProvider } from '../../src/index.ts';
import { openExecutor } from './executor.ts';
import type { Make } from './conformance.ts';

/** `end`, which may be called again. */
function once(end: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined;
  return () => (ended ??= end());
}

/** With a `Pool` of pg of the caller, which ends it. */
export const overPg: Make = (address, options, { poolSize }) => {
  const pool = new Pool({ connectionString: address, max: poolSize });
  pool.on('error', () => {});
  return closing(
    createSqlProvider(pool, options),
    once(() => pool.end()),
  );
};

/** With a pool of mysql2 of the caller, which ends it. */
export const overMysql2: Make = (address, options, { poolSize }) => {
  const pool = createPool({ uri: address, connectionLimit: poolSize });
  const end = (): Promise<void> =>
    new Promise((resolve, reject) => pool.end((error) => (error ? reject(error) : resolve())));
  return closing(createSqlProvider(pool, options), once(end));
};

/** With an executor of the caller, which ends its connections. */
export const overExecutor: Make = (address, options, { poolSize }) => {
  const { executor, end } = openExecutor(address, poolSize);
  return closing(createSqlProvider(executor, options), once(end));
};

/** With a sql of postgres of the caller, which ends it. */
export const overPostgresJs: Make = (address, options, { poolSize }) => {
  const sql = postgres(address, { max: poolSize });
  return closing(
    createSqlProvider(sql, options),
    once(() => sql.end()),
  );
};
