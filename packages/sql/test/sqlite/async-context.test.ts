import { AsyncLocalStorage } from 'node:async_hooks';
import { createLocks } from '@locks/core';
import { expect, onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import { openKnex } from '../support/databases.ts';
import { createFile } from './support/file.ts';

test('a pool opens its connections outside of the asynchronous context of the first call', async () => {
  const file = createFile();
  onTestFinished(() => file.remove());
  const flow = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const afterCreate = (connection: unknown, done: (error: null, connection: unknown) => void): void => {
    contexts.push(flow.getStore());
    done(null, connection);
  };
  const knex = openKnex(file.url, { pool: { min: 0, afterCreate } });
  const provider = createSqlProvider(knex);
  const locks = createLocks(provider);
  await flow.run('a caller', () => locks.withLock('job', () => expect(flow.getStore()).toBe('a caller')));
  expect(contexts).toEqual([undefined]);
  await locks.close();
  await provider.close();
  await knex.destroy();
});
