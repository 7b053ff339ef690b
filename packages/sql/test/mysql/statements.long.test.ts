import { openLocks } from '@locks/core';
import type { Connection } from 'mysql2/promise';
import { describe, expect, test } from 'vitest';
import { complaints, testStatements } from '../servers/statements.ts';
import { connect, rowsOf, serverOfFile } from './support/database.ts';
import { expectFree, join } from '../servers/parties.ts';
import type { Party } from '../servers/parties.ts';

const server = await serverOfFile('--innodb-print-all-deadlocks=ON', '--log-warnings=2');
const { url } = server;

/** Counts something that the server has a status variable for, from now on. */
async function counting(client: Connection, name: string): Promise<() => Promise<number>> {
  const read = async (): Promise<number> => {
    const [row] = await rowsOf(client, `SHOW GLOBAL STATUS LIKE '${name}'`);
    return Number(row?.['Value']);
  };
  const before = await read();
  return async () => (await read()) - before;
}

testStatements(server, {
  // Those that are prepared, too: each is once for a connection.
  async count() {
    const client = await connect(url);
    const counts = [await counting(client, 'Com_stmt_execute'), await counting(client, 'Com_stmt_prepare')];
    return async () => (await counts[0]!()) + (await counts[1]!());
  },
  most: 6,
  looks: 40,
  wrong: /\[ERROR\]|\[Warning\]/i,
});

test('ten free keys take a statement each, and another one where they are new', async () => {
  const client = await connect(url);
  // Each new connection asks for the tables first.
  const { locks } = join(url, { pool: { min: 0, max: 1 } });
  await locks.inspect('several');
  const deadlocks = await counting(client, 'Innodb_deadlocks');
  const executed = await counting(client, 'Com_stmt_execute');
  const rounds = 20;
  for (let round = 0; round < rounds; round += 1) {
    const keys = Array.from({ length: 10 }, (_, index) => `several-${round % 10}-${index}`);
    const lease = await locks.multiLock(keys).acquire();
    expect(lease.tokens.size).toBe(10);
    await lease.release();
  }
  expect(await executed()).toBe(20 * rounds + 100);
  expect(await deadlocks()).toBe(0);
});

/** What five parties do at once ends in no deadlock, and leaves nothing in the server's log. */
async function withoutDeadlock(work: (parties: readonly Party[]) => Promise<void>): Promise<void> {
  const deadlocks = await counting(await connect(url), 'Innodb_deadlocks');
  const said = await complaints(server, /\[ERROR\]|deadlock/i);
  await work(Array.from({ length: 5 }, () => join(url)));
  expect(await deadlocks()).toBe(0);
  expect(await said()).toEqual([]);
}

describe('50 attempts at once in contention', () => {
  test.each(['new', 'existing'])('on %s keys end in no deadlock', async (kind) => {
    await withoutDeadlock(async (parties) => {
      const keyOf = (round: number): string => (kind === 'new' ? `new ${round}` : 'existing');
      for (let round = 0; round < 10; round += 1) {
        const attempts = parties.flatMap(({ locks }) =>
          Array.from({ length: 10 }, (_, index) =>
            index % 3 === 0 ? locks.tryAcquire(keyOf(round), { mode: 'shared' }) : locks.tryAcquire(keyOf(round)),
          ),
        );
        const leases = (await Promise.all(attempts)).filter((lease) => lease !== null);
        expect(leases.length).toBeGreaterThan(0);
        await Promise.all(leases.map((lease) => lease.release()));
      }
    });
  });

  test('in the queue on neighbouring keys end in no deadlock either', async () => {
    await withoutDeadlock(async (parties) => {
      let served = 0;
      await Promise.all(
        parties.flatMap(({ locks }) =>
          Array.from({ length: 10 }, async (_, index) => {
            for (let round = 0; round < 4; round += 1) {
              const mode = (index + round) % 3 === 0 ? 'shared' : 'exclusive';
              await locks.withLock(`neighbour ${(index + round) % 4}`, () => void (served += 1), { mode });
            }
          }),
        ),
      );
      expect(served).toBe(200);
      for (let key = 0; key < 4; key += 1) await expectFree(parties[0]!, `neighbour ${key}`);
    });
  });
});

test.each(['new', 'existing'])('several %s keys at once, in any order, end in no deadlock', async (kind) => {
  await withoutDeadlock(async (parties) => {
    let served = 0;
    for (let round = 0; round < 10; round += 1) {
      const name = kind === 'new' ? `several new ${round}` : 'several existing';
      const attempts = parties.flatMap(({ locks }) =>
        Array.from({ length: 6 }, async (_, index) => {
          const keys = Array.from({ length: 4 }, (_each, number) => `${name} ${(index + number) % 6}`);
          // One in three goes for a single key, and to its line.
          if (index % 3 === 0) await locks.withLock(keys[0] as string, () => void (served += 1));
          else await locks.multiLock(keys.toReversed()).withLock(() => void (served += 1));
        }),
      );
      await Promise.all(attempts);
    }
    expect(served).toBe(300);
  });
});

test('connections that close() ends are no aborted ones for the server, also those of a process that waited', async () => {
  const said = await complaints(server, /\[ERROR\]|\[Warning\]/i);
  for (let round = 0; round < 40; round += 1) {
    const [holder, waiter] = [await openLocks(url), await openLocks(url)];
    const lease = await holder.acquire('closed');
    const waiting = waiter.acquire('closed');
    await expect.poll(async () => (await holder.inspect('closed')).waiters).toBe(1);
    await lease.release();
    await (await waiting).release();
    await Promise.all([holder.close(), waiter.close()]);
  }
  expect(await said()).toEqual([]);
});
