import { conformanceTests } from '@locks/conformance/vitest';
import { afterAll } from 'vitest';
import { conformingPostgres } from '../../postgres/support/conformance.ts';
import { startServer, withClient } from '../../postgres/support/database.ts';
import { breakable } from '../../servers/breakable.ts';
import { create, table } from '../postgres-records.mjs';

// A store of two functions under everything that breaks the native provider.
const server = await startServer();
afterAll(() => server.stop());
const url = await conformingPostgres.openTo(server);
const execute = (statement: string) => () =>
  withClient(url, async (client) => {
    await client.query(statement);
  });
const prepare = execute(table);
await prepare();
const options = { timeout: 2_000, waiterTtl: 3_000 };

const broken = breakable({
  server,
  url,
  dropReply: (proxy) =>
    void proxy.dropReply({ when: (piece) => /(INSERT INTO|UPDATE) records/.test(piece.toString()) }),
  forget: execute('DROP TABLE records'),
  prepare,
  make: (address) => create({ ...options, url: address }),
});
conformanceTests({
  name: 'a provider over a conditional write in Postgres',
  create: broken.create,
  createOther: () => create({ ...options, url, waiterTtl: 600 }),
  faults: broken.faults,
  processes: { module: new URL('../postgres-records.mjs', import.meta.url), args: { ...options, url } },
});
