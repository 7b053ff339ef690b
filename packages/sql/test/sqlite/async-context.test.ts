import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { connect } from '../support/databases.ts';
import { locksOver } from '../support/locks-over.ts';
import { ownFile } from './support/own.ts';

test('a pool opens its connections outside of the asynchronous context of the first call', async () => {
  const flow = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const afterCreate = (connection: unknown, done: (error: null, connection: unknown) => void): void => {
    contexts.push(flow.getStore());
    done(null, connection);
  };
  const { locks } = locksOver(connect(ownFile().url, { pool: { min: 0, afterCreate } }));
  await flow.run('a caller', () => locks.withLock('job', () => expect(flow.getStore()).toBe('a caller')));
  expect(contexts).toEqual([undefined]);
});
