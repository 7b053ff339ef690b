import type { RowDataPacket } from 'mysql2/promise';
import type { LocalServer } from '../server/definition.ts';

/**
 * Resolves when the MariaDB at `url`, and with `local` the one with its data folder, executes a
 * query; rejects otherwise, within about 1 s.
 */
export async function probeMariadb(url: URL, local?: LocalServer): Promise<void> {
  // Loaded when first needed: most tests that load this package start another server, or none.
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({ uri: url.href, connectTimeout: 1_000 });
  // After the first failure there may be another one, which is not awaited.
  connection.on('error', () => {});
  try {
    const [rows] = await connection.query<RowDataPacket[]>({ sql: 'SELECT @@datadir AS folder', timeout: 1_000 });
    const folder = String(rows[0]?.['folder']).replace(/\/$/, '');
    if (local !== undefined && folder !== local.dataFolder) {
      throw new Error(`the server of ${folder} answers there, instead of that of ${local.dataFolder}`);
    }
  } finally {
    connection.destroy();
  }
}
