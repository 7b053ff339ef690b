import { Pool } from 'pg';
import type { PostgresExecutor } from '../../src/index.ts';

/** An executor as the documentation has it for another library. */
export function openExecutor(
  url: string,
  max: number,
): { readonly executor: PostgresExecutor; readonly end: () => Promise<void> } {
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => {});
  pool.on('connect', (connection) => connection.on('error', () => {}));
  return {
    executor: {
      database: 'postgres',
      max,
      async connect() {
        const connection = await pool.connect();
        return {
          query: (text, values) => connection.query(text, [...values]),
          release: (broken) => connection.release(broken),
        };
      },
    },
    end: () => pool.end(),
  };
}
