import { randomUUID } from 'node:crypto';
import { testAdmission } from '../servers/admission.ts';
import { serverOfFile } from './support/database.ts';

const { url } = await serverOfFile();

testAdmission(url, (key, holder) => [
  // Its ttl is too short for a key to be given to it.
  [
    "SELECT token FROM locks_acquire(?, ?, 1000, 0, NULL, true, 'elsewhere', 20000, '{}', 5000, false, '0')",
    [Buffer.from(key), `first/${randomUUID()}`],
  ],
  ['SELECT freed FROM locks_release(?, ?, ?, 20000, 5000)', [Buffer.from(key), holder, 'elsewhere']],
]);
