// A process of its own on one SQLite file: forked by tests, told what to do by message, one answer
// to each.
import { openLocks } from '@locks/core';
import Libsql from 'libsql';

let locks;
const leases = new Map();

const orders = {
  async open({ url, options, ttl }) {
    locks = await openLocks({ url, ttl, options });
  },
  async acquire({ key, ttl }) {
    const lease = await locks.acquire(key, { ttl });
    leases.set(key, lease);
    return String(lease.token);
  },
  async try({ key }) {
    return (await locks.tryAcquire(key)) !== null;
  },
  async release({ key }) {
    return await leases.get(key).release();
  },
  async held({ key }) {
    return leases.get(key).held;
  },
  /** Is in the middle of a transaction that writes, until it is killed. */
  write({ path, sql }) {
    const database = new Libsql(path);
    database.exec('BEGIN IMMEDIATE');
    database.exec(sql);
    globalThis.open = database;
  },
  clocks() {
    return { monotonic: String(process.hrtime.bigint()) };
  },
};

const obey = async ({ order, ...details }) => {
  try {
    process.send({ answer: (await orders[order](details)) ?? null });
  } catch (error) {
    process.send({ error: String(error.stack) });
  }
};
process.on('message', (message) => void obey(message));
process.send({ answer: 'ready' });
