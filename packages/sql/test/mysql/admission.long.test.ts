import { testAdmission } from '../servers/admission.ts';
import { serverOfFile } from './support/database.ts';

const { url } = await serverOfFile();

/** Times as the tables have them. */
const now = 'CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)';
/** In twenty seconds. */
const soon = 'CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 + 20000000 AS SIGNED)';

// What the procedure does, in a transaction that another client keeps open.
testAdmission(url, (key) => [
  [
    `INSERT INTO locks_queue (\`key\`, place, owner, process, permits, seen, deadline) VALUES (?, 1, 'first/1', 'elsewhere', NULL, ${now}, ${soon})`,
    [key],
  ],
  [
    `UPDATE locks SET owner = NULL, held_until = NULL, head_process = 'elsewhere', head_owner = 'first/1', head_until = ${soon}, queue_until = ${soon}, next_lapse = ${soon}, next_place = 2 WHERE \`key\` = ?`,
    [key],
  ],
]);
