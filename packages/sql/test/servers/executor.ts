import type { PostgresExecutor } from '../../src/index.ts';
import { openPool } from '../support/open-pool.ts';

/** An executor as the documentation has it for another library. */
export function openExecutor(
  url: string,
  max: number,
): { readonly executor: PostgresExecutor; readonly end: () => Promise<void> } {
  const pool = openPool({ connectionString: url, max });
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
