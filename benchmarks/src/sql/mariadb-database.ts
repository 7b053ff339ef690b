import { startMariadb } from '@locks/test-servers';
import { createConnection } from 'mysql2/promise';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { sleep } from '../measure/clock.ts';
import type { Database } from './database.ts';
import { severeLines } from './severe-lines.ts';
import { rawTable } from './subjects/raw-mariadb.ts';

/** A MariaDB of its own, durable as by default, which counts the statements of its clients. */
export async function openMariadb(): Promise<Database> {
  const server = await startMariadb({ args: ['--max-connections=300', '--innodb-flush-log-at-trx-commit=1'] });
  let control: Connection | undefined;
  try {
    const connection = await createConnection(server.url);
    control = connection;
    await connection.query(rawTable);
    const number = async (sql: string): Promise<number> => {
      const [rows] = await connection.query<RowDataPacket[]>(sql);
      return Number(rows[0]?.['value']);
    };
    const sent = `SELECT variable_value AS value FROM information_schema.global_status WHERE variable_name = 'Questions'`;
    const others = `SELECT count(*) AS value FROM information_schema.processlist
      WHERE id <> CONNECTION_ID() AND user NOT IN ('system user', 'event_scheduler')`;
    const [version] = await connection.query<RowDataPacket[]>('SELECT VERSION() AS version');
    let before = 0;
    return {
      dialect: 'mariadb',
      url: server.url,
      version: /^[\d.]+/.exec(String(version[0]?.['version']))?.[0] ?? 'unknown',
      // The one that asks is counted too.
      statements: async () => ({ count: (await number(sent)) - before - 1, microseconds: undefined }),
      async resetStatements() {
        before = await number(sent);
      },
      severeLines: async () => severeLines('mariadb', await server.log()).length,
      async quiet() {
        for (let tries = 0; tries < 500; tries += 1) {
          if ((await number(others)) === 0) return;
          await sleep(10);
        }
        throw new Error('MariaDB: connections of a crew that has ended are still there after 5 s');
      },
      async [Symbol.asyncDispose]() {
        await connection.end();
        await server.stop();
      },
    };
  } catch (error) {
    await control?.end();
    await server.stop();
    throw error;
  }
}
