import { test } from 'vitest';
import { outlivesFailovers } from '../servers/failovers.ts';
import { ownTables, withClient, serverOfFile } from './support/database.ts';
import { parties } from './support/postgres.ts';

const server = await serverOfFile();

test('processes that contend outlive failovers: a standby that takes no changes is promoted', async () => {
  const url = await ownTables(server);
  await outlivesFailovers(parties, url, {
    async begin() {
      await withClient(url, async (client) => {
        const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
        // With this file a server starts as a standby.
        await client.query(`COPY (SELECT 1 WHERE false) TO '${rows[0]?.folder}/standby.signal'`);
      });
      await server.restart();
    },
    end: () => withClient(url, async (client) => void (await client.query('SELECT pg_promote()'))),
  });
}, 120_000);
