import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import type { Knex } from 'knex';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fromConfig } from '../../src/index.ts';
import { connect, databases } from '../support/databases.ts';
import { unavailable } from '../../../core/test/support/lock-error.ts';
import { createUser } from '../support/users.ts';

/** How one kind of server has a user whose password changes. */
interface Rotating {
  readonly name: 'Postgres' | 'MariaDB';
  /** Lets the user do everything. */
  readonly raise: string;
  change(admin: Knex, user: string, password: string): Promise<unknown>;
  /** Ends the user's connections. */
  cut(admin: Knex, user: string): Promise<unknown>;
}

const rotating: readonly Rotating[] = [
  {
    name: 'Postgres',
    raise: 'ALTER ROLE %s SUPERUSER',
    change: (admin, user, password) => admin.raw(`ALTER ROLE ${user} PASSWORD '${password}'`),
    cut: (admin, user) => admin.raw('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ?', [user]),
  },
  {
    name: 'MariaDB',
    raise: 'GRANT ALL ON *.* TO %s',
    change: (admin, user, password) => admin.raw(`ALTER USER ${user} IDENTIFIED BY '${password}'`),
    cut: (admin, user) => admin.raw(`KILL USER ${user}`),
  },
];

describe.each(rotating)('on $name', ({ name, raise, change, cut }) => {
  const database = databases.find((each) => each.name === name)!;

  async function start(options: Record<string, unknown>) {
    const whole = await database.create();
    const admin = connect(whole);
    const { user, url } = await createUser(database, admin, whole, 'first');
    await admin.raw(raise.replace('%s', user));
    const asking = Object.assign(new URL(url), { password: '' }).href;
    return { admin, user, url: asking, options: { migrate: true, pool: 4, ...options } };
  }

  test('a password that changes three times under load costs no lease', async () => {
    let password = 'first';
    let asked = 0;
    const ask = async (): Promise<string> => {
      asked += 1;
      await sleep(2);
      return password;
    };
    const { admin, user, url, options } = await start({ password: ask });
    const provider = await fromConfig({ url, options, runtime: systemRuntime });
    const locks = createLocks(provider, { ttl: 5_000, wait: 20_000, closeProvider: true });
    onTestFinished(() => locks.close());
    const long = await locks.acquire('long', { ttl: 3_000 });
    let [running, done] = [true, 0];
    const workers = Array.from({ length: 20 }, async (_, index) => {
      while (running) {
        await locks.withLock(`job ${index % 5}`, async () => {
          await sleep(5);
          done += 1;
        });
      }
    });
    for (const next of ['second', 'third', 'fourth']) {
      await sleep(300);
      await change(admin, user, next);
      password = next;
      await cut(admin, user);
    }
    const before = done;
    await expect.poll(() => done, { timeout: 10_000 }).toBeGreaterThan(before + 20);
    running = false;
    await Promise.all(workers);
    expect(long.held).toBe(true);
    expect(asked).toBeGreaterThan(3);
  });

  test('functions that fail, are silent or give something else end in errors without a secret', async () => {
    const { url, options } = await start({});
    const opening = (password: unknown, limits: Record<string, number> = {}) =>
      fromConfig({ url, options: { ...options, ...limits, password }, runtime: systemRuntime });
    await expect(opening(() => Promise.reject(new Error('no token')))).rejects.toMatchObject(
      unavailable(/the function of option "password" failed/),
    );
    const silent = opening(() => new Promise(() => {}), { connectTimeout: 300 });
    await expect(silent).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await expect(opening(() => 42)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    const wrong = await opening(() => 'hunter2').catch((error: unknown) => error);
    expect(wrong).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    expect((wrong as Error).message).not.toMatch(/hunter2/);
  });
});
