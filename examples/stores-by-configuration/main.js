import { isLockError, openLocks } from '@locks/core';

/** The file that LOCKS_CONFIG names. LOCKS_URL replaces its URL. */
async function open() {
  try {
    return await openLocks();
  } catch (error) {
    if (!isLockError(error, 'LOCK_MISCONFIGURED')) throw error;
    // The message names the option, its value, and the way out.
    console.error(error.message);
    process.exit(78);
  }
}

const locks = await open();
const { scope, fencing, fair } = locks.traits;
console.log(`${locks.name}: scope ${scope}, fencing ${fencing}, ${fair ? 'fair' : 'not fair'}`);
await locks.withLock('invoices/2026-05', ({ token }) => {
  console.log(`sends the invoice with fencing token ${token}`);
});
await locks.close();
