import { setTimeout as sleep } from 'node:timers/promises';
import { changeQuorum, combine } from '@locks/composites';
import { createLocks, isLockError } from '@locks/core';
import type { LockError, LockProvider, Locks } from '@locks/core';
import { checkHistory, createHistory } from '@locks/core/testing';
import { startRedis } from '@locks/test-servers';
import { Redis } from 'ioredis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createRedisProvider } from '../../src/index.ts';
import { eventually, ownPrefix } from '../support/redis.ts';

const servers = await Promise.all(Array.from({ length: 5 }, () => startRedis()));
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

  function connect(members: string): { readonly providers: readonly LockProvider[]; disconnect(): void } {
    const clients = Array.from(members, (member) => new Redis(servers[Number(member) - 1]?.url ?? ''));
    return {
      providers: clients.map((client) => createRedisProvider(client, { prefix })),
      disconnect: () => clients.forEach((client) => client.disconnect()),
    };
  }

  /** What `locks quorum change` does. */
  async function change(members: string): Promise<unknown> {
    const { providers, disconnect } = connect(members);
    const answer: unknown = await changeQuorum(providers).catch((error: unknown) => error);
    for (const provider of providers) await provider.close();
    disconnect();
    return answer;
  }

  async function start(members: string): Promise<Process> {
    count += 1;
    const name = `P${count}`;
    const { providers, disconnect } = connect(members);
    const locks = createLocks(combine(providers), { ttl: 5_000, closeProvider: true });
    const refusals: LockError[] = [];
    let over = false;

    async function hold(key: string, until: () => Promise<unknown>): Promise<void> {
      try {
        const lease = await locks.acquire(key, { wait: 5_000 });
        grants += 1;
        history.granted(name, lease);
        await until();
        await history.release(lease);
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
        disconnect();
      },
    };
    running.add(process);
    await sleep(300);
    return process;
  }

  /** The command, and another release: each process is replaced by one with other members. */
  async function deploy(members: string): Promise<void> {
    await eventually(
      'nothing is left',
      async () => ((await change(members)) as { done?: boolean }).done === true,
      20_000,
    );
    for (const old of [...running]) {
      await start(members);
      await old.stop();
    }
  }

  onTestFinished(async () => {
    for (const process of running) await process.stop();
  });
  return { history, running, start, change, deploy, grants: () => grants };
}

test('three members become five under load: one holder at a time, and no lease is lost', async () => {
  const { history, running, start, deploy, grants } = fleet();
  await Promise.all([start('123'), start('123'), start('123')]);
  await deploy('1234');
  await deploy('12345');
  const stopped = [...running];
  for (const process of stopped) await process.stop();
  expect(checkHistory(history.events)).toEqual([]);
  expect(history.events.filter(({ type }) => type === 'lost')).toEqual([]);
  expect(stopped.flatMap(({ refusals }) => refusals)).toEqual([]);
  expect(grants()).toBeGreaterThan(100);
});
