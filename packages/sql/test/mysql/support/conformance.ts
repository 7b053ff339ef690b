import type { ConformingKind } from '../../servers/conformance.ts';
import { startServer, urlOfUser } from './database.ts';

/**
 * Whether `piece` says that a call of a provider has taken effect: that a statement found its row,
 * or what the procedure decided. A statement that found no row is followed by another one, and the
 * server's answers say which of them it was.
 */
function saysEffect(piece: Buffer): boolean {
  return /Rows matched: [1-9]|turn_owner/.test(piece.toString('latin1'));
}

/** MariaDB, for the conformance suite. */
export const conformingMariadb: ConformingKind = {
  startServer,
  openTo: (server) => urlOfUser(server, 'open_user', 'ALL'),
  dropReply: (proxy) => proxy.cutMidFrame('replies', { bytes: 0, when: saysEffect }),
  quote: '`',
  sweep: "CALL `locks_sweep`(0, 1000, '', NULL)",
  left: `SELECT (SELECT count(*) FROM information_schema.processlist WHERE user = 'open_user') AS connections,
    (SELECT count(*) FROM \`locks_queue\`) AS queue,
    (SELECT count(*) FROM \`locks_shares\`) AS shares,
    (SELECT count(*) FROM \`locks\` WHERE GREATEST(COALESCE(held_until, 0), COALESCE(queue_until, 0)) > UNIX_TIMESTAMP(NOW(6)) * 1000000) AS used`,
  // A short deadline: each call to a server that says nothing takes this long.
  timeout: 2_000,
  poolSize: 10,
};

/** Whether `piece` says that a row was written. */
function saysWritten(piece: Buffer): boolean {
  // An answer without rows: 0, and that one row is affected. The fourth byte counts packets.
  return /^...\x01\x00\x01/s.test(piece.toString('latin1'));
}

/** Until when an entry of a text lasts is its last element. */
const entries = (path: string): string =>
  `JSON_TABLE(CONVERT(\`record\` USING utf8mb4), '${path}' COLUMNS (lasting DOUBLE PATH '$'))`;

/** The same without routines: the texts have as few entries as last. */
export const textMariadb: ConformingKind = {
  ...conformingMariadb,
  dropReply: (proxy) => proxy.cutMidFrame('replies', { bytes: 0, when: saysWritten }),
  sweep: 'SELECT 1',
  left: `SELECT (SELECT count(*) FROM information_schema.processlist WHERE user = 'open_user') AS connections,
    (SELECT count(*) FROM \`locks\`, ${entries('$[4][*][5]')} AS e WHERE e.lasting > UNIX_TIMESTAMP(NOW(6)) * 1000) AS used,
    (SELECT count(*) FROM \`locks\`, ${entries('$[5][*][6]')} AS e WHERE e.lasting > UNIX_TIMESTAMP(NOW(6)) * 1000) AS queue`,
};
