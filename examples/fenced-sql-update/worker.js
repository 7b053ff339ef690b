import { readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLockError, openLocks } from '@locks/core';
import { fence, migrateTables } from '@locks/sql';
import Database from 'libsql';

const [carrier = 'north', pause] = process.argv.slice(2);
const file = join(tmpdir(), 'locks-example-fenced.db');
const database = new Database(file);
database.exec('PRAGMA busy_timeout = 5000; CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, carrier TEXT)');
database.exec('INSERT OR IGNORE INTO orders (id) VALUES (4711)');
// The table of `fence` is beside the orders: both are written in one transaction.
await migrateTables(database);
const locks = await openLocks(process.env.LOCKS_URL || `sqlite:${file}`, { ttl: '2s' });

async function assign(lease) {
  database.exec('BEGIN IMMEDIATE');
  try {
    // It rejects with LOCK_STALE if a later holder has been here.
    await fence(database, 'order/4711', lease);
    database.prepare('UPDATE orders SET carrier = ? WHERE id = 4711').run(carrier);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** Until you press Enter, nothing runs in this process, as in a suspended machine. */
function standStill() {
  console.log(`${carrier}: stands still until you press Enter`);
  readSync(0, Buffer.alloc(1));
}

try {
  await locks.withLock('order/4711', async (lease) => {
    console.log(`${carrier}: has the lock, with token ${lease.token}`);
    if (pause === 'pause') standStill();
    await assign(lease);
    console.log(`${carrier}: has written`);
  });
} catch (error) {
  if (!isLockError(error, 'LOCK_LOST')) throw error;
  const refused = isLockError(error.cause, 'LOCK_STALE');
  console.log(`${carrier}: ${error.code}, and its write was ${refused ? 'refused' : 'not too late'}`);
}
console.log(`the carrier of the order is ${database.prepare('SELECT carrier FROM orders').get().carrier}`);
await locks.close();
