import { test } from 'vitest';
import { outlivesFailovers } from '../servers/failovers.ts';
import { ownTables, withClient, serverOfFile } from './support/database.ts';
import { parties } from './support/mariadb.ts';

const server = await serverOfFile();

test('processes that contend outlive failovers: a server that is read only becomes the primary', async () => {
  const url = await ownTables(server);
  await outlivesFailovers(parties, url, {
    begin: () => withClient(url, async (client) => void (await client.query('SET GLOBAL read_only = ON'))),
    end: () => withClient(url, async (client) => void (await client.query('SET GLOBAL read_only = OFF'))),
  });
}, 120_000);
