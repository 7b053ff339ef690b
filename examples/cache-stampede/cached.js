import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLockError, openLocks } from '@locks/core';
import Database from 'libsql';

const file = join(tmpdir(), 'locks-example-stampede.db');
export const locks = await openLocks(process.env.LOCKS_URL || `sqlite:${file}?migrate=true`);

// The cache: a table here, Redis or memcached elsewhere.
const cache = new Database(join(tmpdir(), 'locks-example-cache.db'));
cache.exec(
  'PRAGMA busy_timeout = 5000; CREATE TABLE IF NOT EXISTS cache (key TEXT PRIMARY KEY, value TEXT, until REAL)',
);
const select = cache.prepare('SELECT value FROM cache WHERE key = ? AND until > ?');
const replace = cache.prepare('REPLACE INTO cache (key, value, until) VALUES (?, ?, ?)');

const read = (key) => select.get(key, Date.now())?.value;

/** Calls of this process that miss one key ask for its lock together. */
const misses = new Map();

/** The cached value of `key`. On a miss one caller of all processes computes it, for `ttl` ms. */
export function cached(key, ttl, compute) {
  const known = read(key) ?? misses.get(key);
  if (known !== undefined) return known;
  const miss = fill(key, ttl, compute).finally(() => misses.delete(key));
  misses.set(key, miss);
  return miss;
}

async function fill(key, ttl, compute) {
  const fresh = async () => {
    const value = await compute();
    replace.run(key, value, Date.now() + ttl);
    return value;
  };
  try {
    // Those who waited look again: the value is there.
    return await locks.withLock(`cache/${key}`, { wait: 10_000 }, () => read(key) ?? fresh());
  } catch (error) {
    // The lock only saves work. Without it each process computes for itself.
    if (isLockError(error, 'LOCK_TIMEOUT') || isLockError(error, 'LOCK_UNAVAILABLE')) return await fresh();
    throw error;
  }
}
