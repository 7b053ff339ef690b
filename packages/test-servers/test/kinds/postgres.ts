import { Client } from 'pg';
import { startPostgres } from '../../src/index.ts';
import type { Kind } from './kind.ts';

export const postgres: Kind = {
  name: 'postgres',
  scheme: 'postgres:',
  start: startPostgres,
  durable: {},
  broken: { options: { args: ['-c', 'no_such_setting=on'] }, reason: /FATAL: .*no_such_setting/ },
  listenOn: (port) => ({ args: ['-c', `port=${port}`] }),
  async open(url) {
    const client = new Client({ connectionString: url });
    const closed = new Promise<void>((resolve) => client.once('end', () => resolve()));
    client.on('error', () => {});
    await client.connect();
    return {
      async ping() {
        await client.query('SELECT 1');
      },
      async write(value) {
        await client.query('CREATE TABLE IF NOT EXISTS test_note (value text)');
        await client.query('TRUNCATE test_note');
        await client.query('INSERT INTO test_note VALUES ($1)', [value]);
      },
      async read() {
        const { rows: tables } = await client.query<{ found: boolean }>(
          `SELECT to_regclass('test_note') IS NOT NULL AS found`,
        );
        if (tables[0]?.found !== true) return undefined;
        const { rows } = await client.query<{ value: string }>('SELECT value FROM test_note');
        return rows[0]?.value;
      },
      async dataFolder() {
        const { rows } = await client.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`);
        return rows[0]?.folder ?? '';
      },
      async noteDown(text) {
        await client.query(`SELECT '${text}'::int`).catch(() => {});
      },
      closed,
      [Symbol.dispose]: () => void client.end().catch(() => {}),
    };
  },
};
