import { randomUUID } from 'node:crypto';
import { testAdmission } from '../servers/admission.ts';
import type { Step } from '../servers/admission.ts';
import { serverOfFile } from './support/database.ts';
import { postgres } from './support/postgres.ts';

const { url } = await serverOfFile();

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
