import type { ConformingKind } from '../../servers/conformance.ts';
import { createPlainTable, openTo, withClient } from './database.ts';
import { mariadb } from './mariadb.ts';

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
  kind: mariadb,
  openTo,
  // Their database with them.
  async forget(url, { schema }) {
    const database = schema ?? new URL(url).pathname.slice(1);
    await withClient(url, (client) => client.query(`DROP DATABASE \`${database}\``));
  },
  dropReply: (proxy) => proxy.cutMidFrame('replies', { bytes: 0, when: saysEffect }),
  quote: '`',
  sweep: "CALL `locks_sweep`(0, 1000, '', NULL)",
  left: `SELECT (SELECT count(*) FROM information_schema.processlist WHERE user = 'open_user') AS connections,
    (SELECT count(*) FROM \`locks_line\`) AS line,
    (SELECT count(*) FROM \`locks_shares\`) AS shares,
    (SELECT count(*) FROM \`locks\` WHERE GREATEST(COALESCE(held_until, 0), COALESCE(line_until, 0)) > UNIX_TIMESTAMP(NOW(6)) * 1000000) AS used`,
  // A short deadline: each call to a server that says nothing takes this long.
  timeout: 2_000,
  poolSize: 10,
};

/**
 * The same of a provider without routines. Its acquire is an INSERT, whose answer says nothing of
 * rows. An INSERT that has taken effect has an insert id, which is a token of eight bytes.
 */
function saysPlainEffect(piece: Buffer): boolean {
  return saysEffect(piece) || /^...\x01\x00[\x01\x02]\xfe/s.test(piece.toString('latin1'));
}

/** The same without routines: the table holds as few rows as are held. */
export const plainMariadb: ConformingKind = {
  ...conformingMariadb,
  kind: { ...mariadb, createTables: createPlainTable },
  dropReply: (proxy) => proxy.cutMidFrame('replies', { bytes: 0, when: saysPlainEffect }),
  sweep: 'SELECT 1',
  left: `SELECT (SELECT count(*) FROM information_schema.processlist WHERE user = 'open_user') AS connections,
    (SELECT count(*) FROM \`locks\` WHERE held_until > UNIX_TIMESTAMP(NOW(6)) * 1000000) AS used`,
};
