import { setTimeout as sleep } from 'node:timers/promises';
import { combine } from '@locks/composites';
import { createLocks, isLockError } from '@locks/core';
import type { LockError, Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { eventually, ownPrefix } from '../support/redis.ts';

const servers = await Promise.all([startRedis(), startRedis(), startRedis(), startRedis()]);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

interface Process {
  readonly locks: Locks;
  /** What its claims were refused with. */
  readonly refusals: LockError[];
  stop(): Promise<void>;
}

/** Processes that take two keys again and again, and each holds one of its own. */
function fleet() {
  const history = createHistory(() => performance.now());
  const prefix = ownPrefix();
  const running = new Set<Process>();
  let count = 0;
  let grants = 0;

  async function start(members: string): Promise<Process> {
    count += 1;
    const name = `P${count}`;
    const clients = Array.from(members, (member) => new Redis(servers[Number(member) - 1]?.url ?? ''));
    const provider = combine(clients.map((client) => createRedisProvider(client, { prefix })));
    const locks = createLocks(provider, { ttl: 5_000, closeProvider: true });
    const refusals: LockError[] = [];
    let over = false;

    async function hold(key: string, until: () => Promise<unknown>): Promise<void> {
      try {
        const lease = await locks.acquire(key, { wait: 5_000 });
        grants += 1;
        history.granted(name, lease);
        await until();
        history.released(lease);
        await lease.release();
      } catch (error) {
        if (!isLockError(error)) throw error;
        refusals.push(error);
        await sleep(20);
      }
    }

    const loads = ['first', 'second'].map(async (key) => {
      while (!over) await hold(key, () => sleep(3));
    });
    const long = hold(`own ${name}`, () => eventually('the end', () => over, 60_000));
    const process: Process = {
      locks,
      refusals,
      async stop() {
        if (!running.delete(process)) return;
        over = true;
        await Promise.all([...loads, long]);
        await locks.close();
        for (const client of clients) client.disconnect();
      },
    };
    running.add(process);
    await sleep(300);
    return process;
  }

  /** Another release: each process is replaced by one with other members. */
  async function deploy(members: string): Promise<void> {
    for (const old of [...running]) {
      await start(members);
      await old.stop();
    }
    // docs/quorum.md: go on when all processes have it. One that closed may be seen for a moment.
    await eventually('one set', async () => {
      const sets = await setsOf([...running][0] as Process);
      return sets.length === running.size && new Set(sets).size === 1;
    });
  }

  /** What processes announce, as an operator sees it. */
  async function setsOf({ locks }: Process): Promise<readonly (string | undefined)[]> {
    const { holders } = await locks.inspect('quorum/members');
    return holders.map(({ owner }) => /!\d+!.+(?=\/)/.exec(owner)?.[0]);
  }

  onTestFinished(async () => {
    for (const process of running) await process.stop();
  });
  return { history, running, start, deploy, grants: () => grants };
}

test('add, deploy, remove: a member is replaced under load, with one holder at a time and no lease lost', async () => {
  const { history, running, start, deploy, grants } = fleet();
  await Promise.all([start('123'), start('123'), start('123')]);
  await sleep(1_000);
  await deploy('1234');
  await deploy('234');
  await sleep(1_000);
  const stopped = [...running];
  for (const process of stopped) await process.stop();
  expect(checkHistory(history.events, { ended: true })).toEqual([]);
  expect(history.events.filter(({ type }) => type === 'lost')).toEqual([]);
  expect(stopped.flatMap(({ refusals }) => refusals)).toEqual([]);
  expect(grants()).toBeGreaterThan(100);
});

test('a member that is replaced at once: the new processes are refused by name, and there is one holder at a time', async () => {
  const { history, start, grants } = fleet();
  await Promise.all([start('123'), start('123')]);
  const [one, other] = await Promise.all([start('234'), start('234')]);
  const before = grants();
  await sleep(4_000);
  expect(checkHistory(history.events)).toEqual([]);
  expect(grants()).toBeGreaterThan(before + 50);
  for (const { refusals } of [one, other]) {
    expect(refusals.length).toBeGreaterThan(50);
    for (const { code, message } of refusals) {
      expect([code, message]).toEqual([
        'LOCK_MISCONFIGURED',
        expect.stringMatching(/process .+:\d+ needs 2 of 3 stores, 1 of them no members here, and lacks member 3 of 3/),
      ]);
    }
  }
});

test('processes that begin at once with sets that conflict: no two hold one key', async () => {
  const { history, start, grants } = fleet();
  await Promise.all(['123', '234', '123', '234'].map((members) => start(members)));
  await sleep(6_000);
  expect(checkHistory(history.events)).toEqual([]);
  expect(grants()).toBeGreaterThan(50);
});
