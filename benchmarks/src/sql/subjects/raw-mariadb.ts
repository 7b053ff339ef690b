import { createPool } from 'mysql2/promise';
import type { ResultSetHeader } from 'mysql2/promise';
import { sleep } from '../../measure/clock.ts';
import { ttl } from '../../subjects/party.ts';
import type { SqlSubject } from './subject.ts';
import { connections } from './subject.ts';

export const rawTable = `CREATE TABLE IF NOT EXISTS raw_locks (
  \`key\` varbinary(512) PRIMARY KEY, version bigint NOT NULL, owner varchar(255), held_until datetime(6)
) ENGINE=InnoDB`;

const now = 'UTC_TIMESTAMP(6)';

// Assignments take effect from left to right, so what decides comes last.
const acquire = `INSERT INTO raw_locks (\`key\`, version, owner, held_until)
  VALUES (?, 1, ?, ${now} + INTERVAL ? MICROSECOND)
  ON DUPLICATE KEY UPDATE
    version = IF(held_until IS NULL OR held_until <= ${now}, LAST_INSERT_ID(version + 1), version),
    owner = IF(held_until IS NULL OR held_until <= ${now}, VALUES(owner), owner),
    held_until = IF(held_until IS NULL OR held_until <= ${now}, VALUES(held_until), held_until)`;

const release = 'UPDATE raw_locks SET owner = NULL, held_until = NULL WHERE `key` = ? AND owner = ?';

/**
 * The least a lock on MariaDB can be: an upsert that changes a free row only, and an update guarded
 * by the owner; both prepared.
 */
export const rawMariadb: SqlSubject = {
  name: 'raw client',
  async open({ url, retryDelay = 5 }) {
    // Of a row that stays as it is, 0 rows are affected, instead of 1 as of a new one.
    const pool = createPool({ uri: url, connectionLimit: connections, maxIdle: connections, flags: ['-FOUND_ROWS'] });
    let count = 0;
    return {
      async acquire(text) {
        const key = Buffer.from(text);
        count += 1;
        const owner = `raw-${process.pid}-${count}`;
        for (;;) {
          const [{ affectedRows }] = await pool.execute<ResultSetHeader>(acquire, [key, owner, ttl * 1_000]);
          if (affectedRows > 0) break;
          await sleep(retryDelay);
        }
        return { release: () => pool.execute(release, [key, owner]) };
      },
      close: () => pool.end(),
    };
  },
};
