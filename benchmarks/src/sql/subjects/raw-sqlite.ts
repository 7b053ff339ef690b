import Database from 'libsql';
import { sleep } from '../../measure/clock.ts';
import { ttl } from '../../subjects/party.ts';
import type { SqlSubject } from './subject.ts';

const table = `CREATE TABLE IF NOT EXISTS raw_locks (
  key BLOB PRIMARY KEY, version INTEGER NOT NULL, owner TEXT, held_until INTEGER
) WITHOUT ROWID`;

const acquire = `INSERT INTO raw_locks (key, version, owner, held_until) VALUES (?1, 1, ?2, ?3 + ?4)
  ON CONFLICT (key) DO UPDATE SET version = version + 1, owner = excluded.owner, held_until = excluded.held_until
  WHERE held_until IS NULL OR held_until <= ?3
  RETURNING version`;

const release = 'UPDATE raw_locks SET owner = NULL, held_until = NULL WHERE key = ?1 AND owner = ?2';

/** Microseconds since the boot. */
function microseconds(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/**
 * The least a lock on SQLite can be: an upsert and an update guarded by the owner; both prepared,
 * both synchronous.
 */
export const rawSqlite: SqlSubject = {
  name: 'raw client',
  async open({ url, retryDelay = 5 }) {
    // `@locks` loads another copy of SQLite, and two copies must not change one file.
    const database = new Database(`${fileOf(url)}-raw`);
    database.pragma('busy_timeout = 5000');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.exec(table);
    const [take, free] = [database.prepare(acquire), database.prepare(release)];
    let count = 0;
    return {
      async acquire(text) {
        const key = Buffer.from(text);
        count += 1;
        const owner = `raw-${process.pid}-${count}`;
        while (take.get(key, owner, microseconds(), ttl * 1_000) === undefined) await sleep(retryDelay);
        return { release: () => free.run(key, owner) };
      },
      close: async () => void database.close(),
    };
  },
};

function fileOf(url: string): string {
  return url.replace(/^sqlite:/, '');
}
