import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openLocks } from '@locks/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fence, migrateTables } from '../../src/index.ts';
import { connect, databases } from '../support/databases.ts';

describe.each(databases)('on $name', (database) => {
  test('a holder that was stopped, and goes on when its successor has written, is refused', async () => {
    const url = await database.create();
    const knex = connect(url);
    await migrateTables(knex);
    await knex.schema.createTable('accounts', (table) => table.integer('balance'));
    await knex('accounts').insert({ balance: 0 });
    const paused = fork(new URL('../support/paused-holder.mjs', import.meta.url), [url]);
    onTestFinished(() => void paused.kill('SIGKILL'));
    const [{ held }] = (await once(paused, 'message')) as [{ readonly held: string }];
    paused.kill('SIGSTOP');
    const locks = await openLocks(url);
    onTestFinished(() => locks.close());
    const successor = await locks.acquire('account');
    expect(successor.token).toBeGreaterThan(BigInt(held));
    await knex.transaction(async (trx) => {
      await fence(trx, 'account', successor);
      await trx('accounts').update({ balance: 2 });
    });
    const exited = once(paused, 'exit');
    paused.send('write');
    paused.kill('SIGCONT');
    const [late] = (await once(paused, 'message')) as [object];
    expect(late).toEqual({ wrote: false, code: 'LOCK_STALE', held: false });
    expect(await knex('accounts').pluck('balance')).toEqual([2]);
    await exited;
  });
});
