import { createLocks, openLocks } from '@locks/core';
import type { Locks } from '@locks/core';
import { createSqlProvider } from '@locks/sql';
import { ttl } from '../../subjects/party.ts';
import { watchPlaces } from '../../subjects/places.ts';
import { openKnex } from './knex.ts';
import type { SqlParty, SqlSubject } from './subject.ts';

/**
 * As the README shows it, with default options: fencing tokens, fair queue, renewal; its
 * connections are its own.
 */
export const ours: SqlSubject = {
  name: '@locks',
  async open({ url }) {
    const locks = await openLocks(url, { ttl });
    return partyOf(locks, async () => {});
  },
};

/** The same over connections of an application's knex. */
export const oursOverKnex: SqlSubject = {
  name: '@locks over knex',
  async open({ url }) {
    const knex = openKnex(url);
    return partyOf(createLocks(createSqlProvider(knex), { ttl }), () => knex.destroy());
  },
};

/** One table without routines: each change writes the text of its key again. */
export const oursPlain: SqlSubject = {
  name: '@locks without routines',
  async open({ url }) {
    const options = { routines: false, table: 'text_locks', migrate: true };
    const { acquire, close } = partyOf(await openLocks({ url, options }, { ttl }), async () => {});
    // A claim enters the queue when its write succeeds, which nothing here watches.
    return { acquire, close };
  },
};

function partyOf(locks: Locks, end: () => Promise<void>): SqlParty {
  return {
    acquire: (key) => locks.acquire(key),
    watchPlaces,
    async close() {
      await locks.close();
      await end();
    },
  };
}
