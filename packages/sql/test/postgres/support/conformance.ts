import { escapeLiteral } from 'pg';
import type { ConformingKind } from '../../servers/conformance.ts';
import { startServer, withClient } from './database.ts';

/** Whether `piece` has a statement of a provider, and not what a new connection begins with. */
function isCall(piece: Buffer): boolean {
  return /\0locks:(?!findSchema|checkConnection)/.test(piece.toString('latin1'));
}

/** Postgres, for the conformance suite. */
export const conformingPostgres: ConformingKind = {
  startServer,
  async openTo({ url }) {
    // The server trusts the name that a client gives, so each login sends the same bytes.
    await withClient(url, async (client) => {
      const file = (await client.query<{ file: string }>("SELECT current_setting('hba_file') AS file")).rows[0]?.file;
      await client.query(
        `COPY (SELECT unnest(ARRAY['local all all trust', 'host all all all trust'])) TO ${escapeLiteral(file ?? '')}`,
      );
      await client.query('SELECT pg_reload_conf()');
    });
    return url;
  },
  dropReply: (proxy) => proxy.dropReply({ when: isCall }),
  quote: '"',
  sweep: 'SELECT "locks_sweep"(0, 1000)',
  left: `SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::integer AS connections,
    (SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %')::integer AS listeners,
    (SELECT count(*) FROM "locks_queue")::integer AS queue,
    (SELECT count(*) FROM "locks_shares")::integer AS shares,
    (SELECT count(*) FROM "locks" WHERE held_until > clock_timestamp() OR queue_until > clock_timestamp())::integer AS used`,
  // Hundreds of calls at once meet it on a machine that does other things too.
  timeout: 10_000,
  // Small: each connection is a process of the server, and a hundred claims at once open them all.
  poolSize: 4,
};

/** The same without routines: the texts have as few entries as last. */
export const textPostgres: ConformingKind = {
  ...conformingPostgres,
  sweep: 'SELECT 1',
  dropReply: (proxy) =>
    proxy.dropReply({ when: (piece) => /\0locks:(?:insert|update):/.test(piece.toString('latin1')) }),
  left: `SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::integer AS connections,
    (
      SELECT count(*) FROM "locks" AS l CROSS JOIN LATERAL jsonb_array_elements((l.record::jsonb -> 4) || (l.record::jsonb -> 5)) AS entry
      WHERE (entry ->> -1)::numeric > extract(epoch FROM clock_timestamp()) * 1000
    )::integer AS used`,
};
