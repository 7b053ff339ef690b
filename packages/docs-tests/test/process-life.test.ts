import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEtcd, startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import { afterAll, expect, test } from 'vitest';
import type { Outcome } from './support/examples.ts';
import { runNode } from './support/examples.ts';

const [redis, zookeeper, etcd, postgres] = await Promise.all([
  startRedis(),
  startZookeeper(),
  startEtcd(),
  startPostgres(),
]);
const folder = mkdtempSync(join(tmpdir(), 'locks-process-life-'));
afterAll(async () => {
  await Promise.all([redis, zookeeper, etcd, postgres].map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const urls: Record<string, string> = {
  memory: 'memory:',
  redis: redis.url,
  zookeeper: `zookeeper://${zookeeper.host}:${zookeeper.port}?acl=open`,
  etcd: etcd.url,
  sqlite: `sqlite:${join(folder, 'locks.db')}?migrate=true`,
};

/** How a process ends that holds a lock in this way, and what it printed. */
function end(
  way: string,
  url: string,
  program: URL = new URL('support/one-lock.mjs', import.meta.url),
): Promise<Outcome> {
  return runNode([fileURLToPath(program), way, url], { limit: 60_000 });
}

test.each(Object.keys(urls))(
  'a process that only leads, by withLock, runs until its lease ends: %s',
  async (backend) => {
    expect(await end('withLock', urls[backend] ?? '')).toEqual({ exitCode: 0, output: 'LOCK_LOST\n' });
  },
);

// An open connection to Redis or SQL keeps the process alive without a lease: see docs/safety.md.
test.each(['memory', 'zookeeper', 'etcd'])(
  'a lease of acquire keeps no process alive, nor does one that was waited for: %s',
  async (backend) => {
    for (const way of ['acquire', 'wait']) {
      expect(await end(way, urls[backend] ?? ''), way).toEqual({ exitCode: 0, output: 'true\n' });
    }
  },
);

test.each(['ioredis', 'redis', 'pg'])(
  'a client of the caller keeps no process alive once it is closed, also without provider.close(): %s',
  async (kind) => {
    const program = new URL('support/given-client.mjs', import.meta.url);
    const url = kind === 'pg' ? postgres.url : redis.url;
    expect(await end(kind, url, program)).toEqual({ exitCode: 0, output: 'the end\n' });
  },
);
