// A process of its own on one SQLite file: forked by tests, told what to do by message, one answer
// to each.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
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
  /** Waits for the key, and notes its name when it was served. */
  enqueue({ key, name, log }) {
    void locks.withLock(key, () => appendFileSync(log, `${name}\n`));
  },
  /** Adds to a number in a file, which only a lock makes exact. */
  async count({ key, workers, rounds, counter }) {
    const tokens = [];
    const work = async () => {
      for (let round = 0; round < rounds; round += 1) {
        await locks.withLock(key, async (lease) => {
          const before = Number(readFileSync(counter, 'utf8'));
          await new Promise((resolve) => setImmediate(resolve));
          writeFileSync(counter, String(before + 1));
          tokens.push([before, String(lease.token)]);
        });
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
    return tokens;
  },
  /** Is in the middle of a transaction that writes, until it is killed. */
  write({ path, sql }) {
    const database = new Libsql(path);
    database.exec('BEGIN IMMEDIATE');
    database.exec(sql);
    globalThis.open = database;
  },
  commit() {
    globalThis.open.exec('COMMIT');
  },
  clocks() {
    return { monotonic: String(process.hrtime.bigint()), wall: Date.now() };
  },
  async close() {
    await locks?.close();
    process.disconnect();
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
