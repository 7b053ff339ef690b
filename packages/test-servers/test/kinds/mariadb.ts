import { connect } from 'node:net';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { addressOf } from '../../src/server/address.ts';
import { startMariadb } from '../../src/index.ts';
import type { Kind } from './kind.ts';

export const mariadb: Kind = {
  name: 'mariadb',
  scheme: 'mysql:',
  start: startMariadb,
  durable: {},
  broken: { options: { args: ['--no-such-option'] }, reason: /\[ERROR\].*no-such-option/ },
  listenOn: (port) => ({ args: [`--port=${port}`] }),
  async open(url) {
    // Of our own, for the client does not tell in all cases that a connection has ended.
    const socket = connect(addressOf(new URL(url), 3306));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const connection = await createConnection({ uri: url, stream: () => socket });
    connection.on('error', () => {});

    async function firstOf(sql: string): Promise<string | undefined> {
      const [rows] = await connection.query<RowDataPacket[]>(sql);
      return rows[0]?.['value'] === undefined ? undefined : String(rows[0]['value']);
    }

    return {
      ping: () => connection.ping(),
      async write(value) {
        await connection.query('CREATE TABLE IF NOT EXISTS test_note (value text)');
        await connection.query('DELETE FROM test_note');
        await connection.query('INSERT INTO test_note VALUES (?)', [value]);
      },
      async read() {
        const table = await firstOf(
          `SELECT table_name AS value FROM information_schema.tables WHERE table_name = 'test_note'`,
        );
        return table === undefined ? undefined : firstOf('SELECT value FROM test_note');
      },
      async dataFolder() {
        return ((await firstOf('SELECT @@datadir AS value')) ?? '').replace(/\/$/, '');
      },
      async noteDown(text) {
        // Who is refused is noted down; errors of statements are told to the client alone.
        const stranger = new URL(url);
        stranger.username = text;
        await createConnection(stranger.href).then(
          (other) => other.destroy(),
          () => {},
        );
      },
      closed,
      [Symbol.dispose]: () => connection.destroy(),
    };
  },
};
