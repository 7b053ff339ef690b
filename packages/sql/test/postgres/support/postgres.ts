import type { Kind } from '../../servers/kind.ts';
import { partiesOn } from '../../servers/parties.ts';
import type { Parties } from '../../servers/parties.ts';
import { connect, startServer, withClient } from './database.ts';

/** Postgres, for the tests that hold for every database server. */
export const postgres: Kind = {
  client: 'pg',
  startServer,
  connect,
  withClient,
  selectRow: 'SELECT version, owner, held_until, shares FROM locks WHERE key = $1',
  async blocked(url, atLeast = 0) {
    const { rows } = await withClient(url, (client) =>
      client.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
          AND clock_timestamp() - query_start > $1 * interval '1 millisecond'`,
        [atLeast],
      ),
    );
    return rows.map(({ pid }) => pid);
  },
};

export const { join, blockRow, untilBlocked }: Parties = partiesOn(postgres);
