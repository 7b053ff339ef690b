import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { createSqlProvider } from '../../src/index.ts';
import { ownFile } from './support/own.ts';

const claims = Array.from({ length: 64 }, (_, index) => ({
  key: `key ${index}`,
  owner: `me/${index}`,
  ttl: 20_000,
  mode: 'exclusive' as const,
}));

/** A provider on a database of the caller, and the transactions that it has ended. */
function counted() {
  const database = new Libsql(ownFile().path);
  const ended: string[] = [];
  const client = {
    prepare: (sql: string) => database.prepare(sql),
    exec(sql: string) {
      if (sql === 'COMMIT') ended.push(sql);
      return database.exec(sql);
    },
    close: () => database.close(),
  };
  const provider = createSqlProvider(client);
  onTestFinished(async () => {
    await provider.close();
    database.close();
  });
  return { provider, database, ended };
}

test('calls of one tick on many keys share a transaction', async () => {
  const { provider, ended } = counted();
  await provider.inspect('warm');
  ended.length = 0;
  const answers = await Promise.all(claims.map((claim) => provider.tryAcquire(claim)));
  expect(answers.every(({ granted }) => granted)).toBe(true);
  // A process that is busy for long lets other work have its turn.
  expect(ended.length).toBeLessThan(claims.length / 2);
  expect(await Promise.all(claims.map((claim) => provider.release(claim)))).toEqual(claims.map(() => true));
  expect(ended.length).toBeLessThan(claims.length);
});

test('where their transaction fails, each hears of its own key, and has nothing', async () => {
  const { provider, database } = counted();
  await provider.inspect('warm');
  database.exec('PRAGMA query_only = 1');
  const answers = await Promise.allSettled(claims.map((claim) => provider.tryAcquire(claim)));
  database.exec('PRAGMA query_only = 0');
  for (const [index, answer] of answers.entries())
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'LOCK_MISCONFIGURED', key: `key ${index}` } });
  for (const { key } of claims) expect((await provider.inspect(key)).holders).toEqual([]);
});
