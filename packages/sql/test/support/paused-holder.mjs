// A process that takes the lock of an account. Its parent pauses it, and it writes to the account
// when it goes on.
import { once } from 'node:events';
import { openLocks } from '@locks/core';
import { fence } from '@locks/sql';
import { openKnex } from './open-knex.mjs';

const [url] = process.argv.slice(2);
const knex = openKnex(url);
const locks = await openLocks(url);
const lease = await locks.acquire('account', { ttl: 1_000, renew: false });
process.send({ held: String(lease.token) });
await once(process, 'message');
try {
  await knex.transaction(async (trx) => {
    await fence(trx, 'account', lease);
    await trx('accounts').update({ balance: 1 });
  });
  process.send({ wrote: true });
} catch (error) {
  process.send({ wrote: false, code: error.code, held: lease.held });
}
await locks.close();
await knex.destroy();
process.disconnect();
