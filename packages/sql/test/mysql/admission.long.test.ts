import { afterAll, describe, expect, test } from 'vitest';
import { testAdmission } from '../servers/admission.ts';
import { connect, createTables, rowsOf, startServer } from './support/database.ts';
import { mariadb, untilBlocked } from './support/mariadb.ts';

const server = await startServer();
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

describe('an update that looks into a second table', () => {
  // A copy of that table as it was: read before the wait, as every plain read of a transaction is.
  test('makes two holders of one key', async () => {
    const other = await connect(url);
    await other.query('CREATE TABLE naive (id INT PRIMARY KEY, owner VARCHAR(20))');
    await other.query('CREATE TABLE naive_shares (id INT, owner VARCHAR(20))');
    await other.query('INSERT INTO naive VALUES (1, NULL)');
    // MariaDB 11.6 and newer refuse such an update, unless told otherwise.
    if ((await rowsOf(other, "SHOW VARIABLES LIKE 'innodb_snapshot_isolation'")).length > 0)
      await other.query('SET innodb_snapshot_isolation = OFF');
    const first = await connect(url);
    await first.beginTransaction();
    await first.query('SELECT * FROM naive WHERE id = 1 FOR UPDATE');
    await first.query("INSERT INTO naive_shares VALUES (1, 'shared/1')");
    await other.beginTransaction();
    await other.query('SELECT count(*) FROM naive_shares');
    const locked = other.query('SELECT owner FROM naive WHERE id = 1 FOR UPDATE');
    await untilBlocked(url);
    await first.commit();
    await locked;
    // This transaction sees no sharer.
    await other.query(
      "UPDATE naive SET owner = 'exclusive/1' WHERE id = 1 AND NOT EXISTS (SELECT 1 FROM (SELECT count(*) AS c FROM naive_shares) AS s WHERE s.c > 0)",
    );
    await other.commit();
    expect(await rowsOf(other, 'SELECT owner FROM naive UNION ALL SELECT owner FROM naive_shares')).toHaveLength(2);
  });
});

/** Times as the tables have them. */
const now = 'CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)';
/** In twenty seconds. */
const soon = 'CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 + 20000000 AS SIGNED)';

// What the procedure does, in a transaction that another client keeps open.
testAdmission(mariadb, url, {
  share: (key) => [
    [`UPDATE locks SET shares = 1, held_until = ${soon} WHERE \`key\` = ?`, [key]],
    [`INSERT INTO locks_shares (\`key\`, owner, token, expires, permits) VALUES (?, 'first/1', 1, ${soon}, 1)`, [key]],
  ],
  hold: (key) => [
    [`UPDATE locks SET owner = 'first/1', version = version + 1, held_until = ${soon} WHERE \`key\` = ?`, [key]],
  ],
  lead: (key) => [
    [
      `INSERT INTO locks_queue (\`key\`, place, owner, process, permits, seen, deadline) VALUES (?, 1, 'first/1', 'elsewhere', NULL, ${now}, ${soon})`,
      [key],
    ],
    [
      `UPDATE locks SET owner = NULL, held_until = NULL, head_process = 'elsewhere', head_owner = 'first/1', head_until = ${soon}, queue_until = ${soon}, next_lapse = ${soon}, next_place = 2 WHERE \`key\` = ?`,
      [key],
    ],
  ],
});
