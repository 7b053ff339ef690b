import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEtcd, startPostgres, startRedis, startZookeeper } from '@locks/test-servers';
import Libsql from 'libsql';
import { afterAll, expect, onTestFinished, test } from 'vitest';

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
  sqlite: `sqlite:${createFile()}`,
};

function createFile(): string {
  const path = join(folder, 'locks.db');
  const migrations = new URL('../../sql/sql/sqlite/migrations/', import.meta.url);
  const database = new Libsql(path);
  for (const file of readdirSync(migrations).toSorted())
    if (!file.endsWith('.down.sql')) database.exec(readFileSync(new URL(file, migrations), 'utf8'));
  database.close();
  return path;
}

/** How a process ends that holds a lock in this way, and what it printed. */
async function end(
  way: string,
  url: string,
  program: URL = new URL('support/one-lock.mjs', import.meta.url),
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [fileURLToPath(program), way, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output.trim() };
}

test.each(Object.keys(urls))(
  'a process that only leads, by withLock, runs until its lease ends: %s',
  async (backend) => {
    expect(await end('withLock', urls[backend] ?? '')).toEqual({ code: 0, output: 'LOCK_LOST' });
  },
);

// An open connection to Redis or SQL keeps the process alive without a lease: see docs/safety.md.
test.each(['memory', 'zookeeper', 'etcd'])('a lease of acquire keeps no process alive: %s', async (backend) => {
  expect(await end('acquire', urls[backend] ?? '')).toEqual({ code: 0, output: 'true' });
});

test.each(['memory', 'zookeeper', 'etcd'])('nor does a lease that was waited for: %s', async (backend) => {
  expect(await end('wait', urls[backend] ?? '')).toEqual({ code: 0, output: 'true' });
});

test.each(['ioredis', 'redis', 'pg'])(
  'a client of the caller keeps no process alive once it is closed, also without provider.close(): %s',
  async (kind) => {
    const program = new URL('support/given-client.mjs', import.meta.url);
    const url = kind === 'pg' ? postgres.url : redis.url;
    expect(await end(kind, url, program)).toEqual({ code: 0, output: 'the end' });
  },
);
