import { openLocks } from '@locks/core';
import { redisCommand, startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { checkPlanted, doctor } from './support.ts';
import type { Planted } from './support.ts';

async function start(...args: readonly string[]): Promise<ServerHandle> {
  const server = await startRedis({ args: ['--appendonly', 'yes', ...args] });
  onTestFinished(async () => await server.stop());
  return server;
}

const urlOf = async (...args: readonly string[]): Promise<string> => (await start(...args)).url;

async function startReplica({ port }: ServerHandle): Promise<ServerHandle> {
  const replica = await start('--replicaof', '127.0.0.1', String(port));
  const state = async (): Promise<string> => String(await redisCommand(replica, 'INFO', 'replication'));
  await expect.poll(state).toContain('master_link_status:up');
  return replica;
}

const planted: readonly Planted[] = [
  {
    what: 'keys are evicted',
    store: () => urlOf('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'),
    found: ['problem eviction'],
  },
  { what: 'nothing is persisted', store: () => urlOf('--appendonly', 'no'), found: ['warning persistence'] },
  {
    what: 'the system writes the file when it likes',
    store: () => urlOf('--appendfsync', 'no'),
    found: ['warning persistence'],
  },
  {
    what: 'replicas that it needs are missing',
    store: () => urlOf('--min-replicas-to-write', '1'),
    found: ['problem locks'],
  },
  {
    what: 'replicas that the option needs are missing',
    store: async () => `${await urlOf()}?minReplicas=2&timeout=1s`,
    found: ['problem locks'],
  },
  {
    what: 'it is full',
    store: () => urlOf('--maxmemory', '100kb', '--maxmemory-policy', 'noeviction'),
    found: ['problem locks'],
  },
  {
    what: 'it is a replica',
    store: async () => (await startReplica(await start())).url,
    found: ['problem locks'],
  },
  {
    what: 'a replica that lags may become the master',
    async store() {
      const master = await start();
      await startReplica(master);
      return master.url;
    },
    found: ['warning replication'],
  },
  {
    what: 'it is a node of a Cluster',
    store: () => urlOf('--cluster-enabled', 'yes'),
    found: ['problem locks'],
  },
  {
    what: 'the user may not run scripts',
    async store() {
      const url = new URL(await urlOf('--user', 'reader', 'on', '>secret', '~*', '&*', '+info', '+config|get'));
      return Object.assign(url, { username: 'reader', password: 'secret' }).href;
    },
    found: ['problem locks'],
  },
  {
    what: 'the user may not listen',
    async store() {
      const url = new URL(await urlOf('--user', 'deaf', 'on', '>secret', '~*', 'resetchannels', '+@all'));
      return Object.assign(url, { username: 'deaf', password: 'secret' }).href;
    },
    found: ['problem hand-over'],
  },
  {
    what: 'the processes of a semaphore have different numbers',
    async store() {
      const url = await urlOf();
      const locks = await openLocks(url);
      onTestFinished(async () => await locks.close());
      for (const permits of [2, 3]) await locks.acquire('exports', { mode: 'shared', permits });
      return url;
    },
    found: ['warning permits'],
  },
];

test.each(planted)('doctor finds that $what', checkPlanted);

test('doctor finds nothing at a Redis with AOF and noeviction', async () => {
  const { bad, code, findings } = await doctor(await urlOf(), '--strict');
  expect({ bad, code }).toEqual({ bad: [], code: 0 });
  expect(new Set(findings.map(({ level }) => level))).toEqual(new Set(['ok']));
});

test('what the user may not ask is unknown, and why', async () => {
  const url = new URL(await urlOf('--user', 'app', 'on', '>secret', '~*', '&*', '+@all', '-config'));
  const { findings, code } = await doctor(Object.assign(url, { username: 'app', password: 'secret' }).href);
  const unknown = findings.filter(({ level }) => level === 'unknown');
  expect(unknown.map(({ check }) => check)).toEqual(['persistence']);
  expect(unknown[0]?.what).toMatch(/^The check failed: .*no permissions/);
  expect(code).toBe(0);
});

test('a restart guard makes up for the disk', async () => {
  const url = await urlOf('--appendonly', 'no');
  const { bad, findings } = await doctor(`${url}?restartGuard=30s`, '--strict');
  expect(bad).toEqual([]);
  // It has just come back.
  expect(findings.find(({ check }) => check === 'locks')).toMatchObject({
    level: 'note',
    what: expect.stringContaining('restartGuard'),
  });
});

test('a store that is out of reach is 69, and a wrong option is 78', async () => {
  expect(await doctor('redis://127.0.0.1:1?connectTimeout=1s')).toMatchObject({
    code: 69,
    errors: expect.stringContaining('cannot be reached'),
  });
  expect(await doctor('redis://127.0.0.1:1?minReplicas=many')).toMatchObject({ code: 78 });
});
