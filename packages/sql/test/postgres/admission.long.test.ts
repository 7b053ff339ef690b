import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { interleave, testAdmission } from '../servers/admission.ts';
import type { Step } from '../servers/admission.ts';
import { connect, createTables, startServer } from './support/database.ts';
import { postgres } from './support/postgres.ts';

const server = await startServer();
await createTables(server.url);
afterAll(() => server.stop());
const { url } = server;

describe('an upsert that looks into a second table', () => {
  // What decides is not in the row that it waits for: it is seen as it was before the wait.
  const naive = `INSERT INTO naive AS n (key, owner, held_until) VALUES ($1, $2, clock_timestamp() + interval '20 s')
    ON CONFLICT (key) DO UPDATE SET owner = $2, held_until = clock_timestamp() + interval '20 s'
    WHERE (n.held_until IS NULL OR n.held_until <= clock_timestamp())
      AND NOT EXISTS (SELECT FROM naive_shares AS s WHERE s.key = n.key AND s.expires > clock_timestamp())
    RETURNING owner`;

  test('makes two holders of one key', async () => {
    const [key, owner] = ['job', 'exclusive/1'];
    const other = await connect(url);
    await other.query('CREATE TABLE naive (key text PRIMARY KEY, owner text, held_until timestamptz)');
    await other.query('CREATE TABLE naive_shares (key text, owner text, expires timestamptz)');
    await other.query('INSERT INTO naive VALUES ($1)', [key]);
    const share = `WITH locked AS MATERIALIZED (SELECT n.key FROM naive AS n WHERE n.key = $1 AND n.held_until IS NULL FOR UPDATE)
      INSERT INTO naive_shares SELECT key, 'shared/1', clock_timestamp() + interval '20 s' FROM locked`;
    const { rowCount } = await interleave(postgres, url, [[share, [key]]], () => other.query(naive, [key, owner]));
    expect(rowCount).toBe(1);
    const { rows } = await other.query(
      `SELECT owner FROM naive WHERE held_until > clock_timestamp()
        UNION ALL SELECT owner FROM naive_shares WHERE expires > clock_timestamp()`,
    );
    expect(rows).toEqual([{ owner }, { owner: 'shared/1' }]);
    // Asked once more, it would have refused.
    expect((await other.query(naive, [key, 'exclusive/2'])).rowCount).toBe(0);
  });
});

/** A claim by the routine of this package. */
function acquire(key: string, permits: number | null, inQueue: boolean, ttl = 20_000): Step {
  return [
    `SELECT token FROM locks_acquire($1, $2, ${ttl}, 0, $3, $4, 'elsewhere', 20000, '{}', 5000, false, '0')`,
    [Buffer.from(key), `first/${randomUUID()}`, permits, inQueue],
  ];
}

testAdmission(postgres, url, {
  share: (key) => [acquire(key, 1, false)],
  hold: (key) => [acquire(key, null, false)],
  // Its ttl is too short for a key to be given to it.
  lead: (key, holder) => [
    acquire(key, null, true, 1_000),
    ['SELECT freed FROM locks_release($1, $2, $3, 20000, 5000)', [Buffer.from(key), holder, 'elsewhere']],
  ],
});
