import { expect, test } from 'vitest';
import { ConnectionPool } from '../src/dialect/pools/connection-pool.ts';

/** A pool of two things that end, and what was done with them. */
function poolOfTwo() {
  const done: string[] = [];
  const state = { refuses: false, made: 0 };
  const pool = new ConnectionPool<{ readonly name: number; over: boolean }>({
    max: 2,
    async open() {
      if (state.refuses) throw new Error('refused');
      state.made += 1;
      return { name: state.made, over: false };
    },
    isOver: ({ over }) => over,
    async end({ name }) {
      done.push(`end ${name}`);
    },
    keepRunning: ({ name }, keeps) => void done.push(`${keeps ? 'ref' : 'unref'} ${name}`),
  });
  return { pool, done, state };
}

test('no more are lent than there may be, and the longest wait is served first', async () => {
  const { pool, state } = poolOfTwo();
  const [one] = await Promise.all([pool.acquire(), pool.acquire()]);
  const [third, fourth] = [pool.acquire(), pool.acquire()];
  expect([pool.waiting, pool.opening]).toEqual([2, false]);
  pool.release(one, false);
  expect(await third).toBe(one);
  // A broken one makes room for another one.
  pool.release(one, true);
  expect(await fourth).toMatchObject({ name: 3 });
  expect(state.made).toBe(3);
});

test('the last that came back is lent again, unless its server has ended it', async () => {
  const { pool, done } = poolOfTwo();
  const [one, two] = await Promise.all([pool.acquire(), pool.acquire()]);
  pool.release(one, false);
  pool.release(two, false);
  two.over = true;
  expect(await pool.acquire()).toBe(one);
  expect(done).toEqual(['unref 1', 'unref 2', 'ref 1']);
  // The other one makes room.
  expect(await pool.acquire()).toMatchObject({ name: 3 });
});

test('where none can be opened, the longest wait hears of it, and the next one tries again', async () => {
  const { pool, state } = poolOfTwo();
  state.refuses = true;
  await expect(pool.acquire()).rejects.toThrow('refused');
  state.refuses = false;
  expect(await pool.acquire()).toMatchObject({ name: 1 });
});

test('when it closes, waits end, idle ones end, and each other one when it comes back', async () => {
  const { pool, done } = poolOfTwo();
  const [one, two] = await Promise.all([pool.acquire(), pool.acquire()]);
  const waits = pool.acquire();
  pool.release(one, true);
  pool.release(await waits, false);
  done.length = 0;
  await pool.close();
  await expect(pool.acquire()).rejects.toThrow('Pool is closed');
  pool.release(two, false);
  expect(done).toEqual(['end 3', 'end 2']);
});
