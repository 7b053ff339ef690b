import { Pool } from 'pg';
import { sleep } from '../../measure/clock.ts';
import { ttl } from '../../subjects/party.ts';
import type { SqlSubject } from './subject.ts';
import { connections } from './subject.ts';

/** As the table of any lock: the row is updated in place, without touching an index. */
export const rawTable = `CREATE TABLE IF NOT EXISTS raw_locks (
  key bytea PRIMARY KEY, version bigint NOT NULL, owner text, held_until timestamptz
) WITH (fillfactor = 50)`;

/** `key`, `owner`, `ttl` in ms. */
export const acquire = {
  name: 'raw-acquire',
  text: `INSERT INTO raw_locks (key, version, owner, held_until)
    VALUES ($1, 1, $2, clock_timestamp() + $3 * interval '1 ms')
    ON CONFLICT (key) DO UPDATE SET version = raw_locks.version + 1, owner = excluded.owner,
      held_until = clock_timestamp() + $3 * interval '1 ms'
    WHERE raw_locks.held_until IS NULL OR raw_locks.held_until <= clock_timestamp()
    RETURNING version`,
};

/** `key`, `owner`. */
export const release = {
  name: 'raw-release',
  text: 'UPDATE raw_locks SET owner = NULL, held_until = NULL WHERE key = $1 AND owner = $2',
};

/**
 * The least a lock on Postgres can be: an upsert that tells the new version, and an update guarded
 * by the owner; both prepared. No queue, no renewal, no floor.
 */
export const rawPostgres: SqlSubject = {
  name: 'raw client',
  async open({ url, retryDelay = 5 }) {
    const pool = new Pool({ connectionString: url, max: connections, idleTimeoutMillis: 0 });
    let count = 0;
    return {
      async acquire(text) {
        const key = Buffer.from(text);
        count += 1;
        const owner = `raw-${process.pid}-${count}`;
        while ((await pool.query({ ...acquire, values: [key, owner, ttl] })).rowCount === 0) await sleep(retryDelay);
        return { release: () => pool.query({ ...release, values: [key, owner] }) };
      },
      close: () => pool.end(),
    };
  },
};
