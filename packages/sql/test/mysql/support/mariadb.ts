import type { Kind } from '../../servers/kind.ts';
import { partiesOn } from '../../servers/parties.ts';
import type { Parties } from '../../servers/parties.ts';
import { connect, rowsOf, startServer, withClient } from './database.ts';

/** MariaDB, for the tests that hold for every database server. */
export const mariadb: Kind = {
  client: 'mysql2',
  startServer,
  connect,
  withClient,
  selectRow: 'SELECT version, owner, held_until, shares FROM locks WHERE `key` = ?',
  async blocked(url, atLeast = 0) {
    // MySQL says it in seconds.
    const waiting = (text: string): number => {
      const [, count, unit] = /HAS BEEN WAITING (\d+) (us|SEC)/.exec(text) ?? [];
      return count === undefined ? -1 : Number(count) * (unit === 'us' ? 0.001 : 1_000);
    };
    return (await openTransactions(url))
      .filter((text) => waiting(text) >= atLeast)
      .map((text) => Number(/thread id (\d+)/.exec(text)?.[1]));
  },
};

/**
 * The transactions that are open on the server, as InnoDB describes them. Its table of them is a
 * cache, which stays as it is while queries follow each other fast.
 */
export async function openTransactions(url: string): Promise<readonly string[]> {
  const [row] = await withClient(url, (client) => rowsOf(client, 'SHOW ENGINE INNODB STATUS'));
  return String(row?.['Status'])
    .split(/^---TRANSACTION /m)
    .filter((text) => /^\d+, ACTIVE/.test(text));
}

export const { join, blockRow, untilBlocked }: Parties = partiesOn(mariadb);
