import type { LocalServer } from '../server/definition.ts';

/**
 * Resolves when the Postgres at `url`, and with `local` the one with its data folder, executes a
 * query; rejects otherwise, within about 1 s.
 */
export async function probePostgres(url: URL, local?: LocalServer): Promise<void> {
  // Loaded when first needed: most tests that load this package start another server, or none.
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url.href, connectionTimeoutMillis: 1_000, query_timeout: 1_000 });
  // After the first failure there may be another one, which is not awaited.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ folder: string }>(
      local === undefined ? 'SELECT 1' : "SELECT current_setting('data_directory') AS folder",
    );
    if (local !== undefined && rows[0]?.folder !== local.dataFolder) {
      throw new Error(`the server of ${rows[0]?.folder} answers there, instead of that of ${local.dataFolder}`);
    }
  } finally {
    await client.end().catch(() => {});
  }
}
