import { setTimeout as sleep } from 'node:timers/promises';
import { createLocks } from '@locks/core';
import { systemRuntime } from '@locks/core/adapter';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fromConfig } from '../../src/index.ts';
import { connect, servers } from '../support/databases.ts';
import { unavailable } from '../../../core/test/support/lock-error.ts';
import { createUser } from '../support/users.ts';

/** How a server lets a user do everything, changes the password, and ends the connections. */
const rotating = {
  Postgres: {
    raise: 'ALTER ROLE %s SUPERUSER',
    change: 'ALTER ROLE %s PASSWORD',
    cut: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '%s'",
  },
  MariaDB: { raise: 'GRANT ALL ON *.* TO %s', change: 'ALTER USER %s IDENTIFIED BY', cut: 'KILL USER %s' },
} as const;

describe.each(servers)('on $name', (database) => {
  const { raise, change, cut } = rotating[database.name as keyof typeof rotating];

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
      await admin.raw(`${change.replace('%s', user)} '${next}'`);
      password = next;
      await admin.raw(cut.replace('%s', user));
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
