import { readFile } from 'node:fs/promises';
import { createLocks, openLocks } from '@locks/core';
import type { Knex } from 'knex';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqlProvider, fence, migrate, sweep } from '../../src/index.ts';
import { connect, databases, ownName } from '../support/databases.ts';
import { collect, eventually } from '../support/waiting.ts';

const password = 'secret';

/** A user who has what sql/<dialect>/grants.sql grants, and nothing else. */
async function withUser(
  database: (typeof databases)[number],
): Promise<{ readonly admin: Knex; readonly user: Knex; readonly url: string }> {
  const url = await database.create();
  const admin = connect(url);
  await migrate(admin);
  const name = ownName();
  const dialect = database.name === 'Postgres' ? 'postgres' : 'mysql';
  if (dialect === 'postgres') await admin.raw(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`);
  else await admin.raw(`CREATE USER ${name} IDENTIFIED BY '${password}'`);
  onTestFinished(async () => {
    if (dialect === 'postgres') await admin.raw(`DROP OWNED BY ${name}`);
    await admin.raw(dialect === 'postgres' ? `DROP ROLE ${name}` : `DROP USER ${name}`);
  });
  const file = new URL(`../../sql/${dialect}/grants.sql`, import.meta.url);
  const grants = (await readFile(file, 'utf8')).replaceAll(/^--.*$/gm, '').replaceAll(/(["`])app\1/g, name);
  for (const statement of grants.split(';').filter((text) => text.trim() !== '')) await admin.raw(statement);
  const own = Object.assign(new URL(url), { username: name, password }).href;
  return { admin, user: connect(own), url: own };
}

describe.each(databases.slice(0, 2))('the least-privilege user of the documentation on $name', (database) => {
  test('can do all that the provider does', async () => {
    const { admin, user, url } = await withUser(database);
    const provider = createSqlProvider(user);
    onTestFinished(() => provider.close());
    const locks = createLocks(provider);
    const lease = await locks.acquire('job');
    const next = locks.acquire('job');
    await eventually('the waiter in line', async () => (await locks.inspect('job')).waiters === 1);
    await lease.renew();
    await lease.release();
    const second = await next;
    expect(second.token).toBeGreaterThan(lease.token);
    expect(await collect(provider.list?.('') ?? [])).toEqual(['job']);
    await second.release();
    const shares = await Promise.all([1, 2].map(() => locks.acquire('job', { mode: 'shared', permits: 2 })));
    expect(await locks.tryAcquire('job', { mode: 'shared', permits: 2 })).toBeNull();
    await Promise.all(shares.map((share) => share.release()));
    const gone = new AbortController();
    const holder = await locks.acquire('job');
    const waiting = locks.acquire('job', { signal: gone.signal });
    await eventually('the waiter in line', async () => (await locks.inspect('job')).waiters === 1);
    gone.abort(new Error('no longer'));
    await expect(waiting).rejects.toThrow('no longer');
    await eventually('an empty line', async () => (await locks.inspect('job')).waiters === 0);
    await holder.release();
    await locks.close();
    await user.transaction((trx) => fence(trx, 'account', lease));
    await admin('locks').update({ version: 1 });
    expect(await sweep(user)).toBe(1);
    const opened = await openLocks(url);
    await (await opened.acquire('job')).release();
    await opened.close();
  });

  test('can remove and create nothing', async () => {
    const { user } = await withUser(database);
    const denied = /permission denied|command denied|must be owner/;
    for (const rest of ['', '_line', '_shares', '_fences', '_layout']) {
      await expect(user.raw(`DELETE FROM locks${rest}`)).rejects.toThrow(denied);
      await expect(user.raw(`DROP TABLE locks${rest}`)).rejects.toThrow(denied);
    }
    await expect(user.raw('UPDATE locks_layout SET version = 2')).rejects.toThrow(denied);
    await expect(user.raw('CREATE TABLE mine (x integer)')).rejects.toThrow(denied);
    await expect(migrate(user, { table: 'mine' })).rejects.toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringMatching(denied) as string,
    });
  });

  test('who lacks a grant is told so', async () => {
    const { admin, user } = await withUser(database);
    const table = database.name === 'Postgres' ? '"locks"' : '`locks`';
    const [name] = await user
      .raw('SELECT current_user AS name')
      .then((answer: unknown) => [
        String(
          (answer as { readonly rows?: readonly { readonly name: string }[] }).rows?.[0]?.name ??
            (answer as readonly (readonly { readonly name: string }[])[])[0]?.[0]?.name,
        ).replace(/@.*/, ''),
      ]);
    await admin.raw(`REVOKE UPDATE ON ${table} FROM ${name}`);
    const provider = createSqlProvider(user);
    onTestFinished(() => provider.close());
    const locks = createLocks(provider);
    await expect(locks.acquire('job')).rejects.toMatchObject({
      code: 'LOCK_MISCONFIGURED',
      message: expect.stringMatching(/grant/i) as string,
    });
    await locks.close();
  });
});
