import { readFile, writeFile } from 'node:fs/promises';
import { isLockError, openLocks } from '@locks/core';
import type { LockError } from '@locks/core';
import { createRandom } from '@locks/core/testing';
import { eventually, startMariadb, startPostgres } from '@locks/test-servers';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startFront } from './support/front.ts';

test('a service outlives an administrator who asks its user for GSSAPI', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const admin = new Client(server.url);
  await admin.connect();
  onTestFinished(() => admin.end());
  await admin.query("CREATE USER service PASSWORD 'secret' SUPERUSER");
  const { rows } = await admin.query<{ hba_file: string }>('SHOW hba_file');
  const file = rows[0]?.hba_file ?? '';
  const usual = await readFile(file, 'utf8');
  const url = Object.assign(new URL(server.url), { username: 'service', password: 'secret' }).href;
  const locks = await openLocks({ url, options: { migrate: true } });
  onTestFinished(() => locks.close());
  await locks.withLock('job', () => {});

  const ask = async (how: string): Promise<void> => {
    await writeFile(file, `${how}\n${usual}`);
    await admin.query('SELECT pg_reload_conf()');
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'service'");
  };
  await ask('host all service all gss');
  await eventually('the refusal', () =>
    locks.tryAcquire('job').then(
      async (lease) => void (await lease?.release()),
      (error: unknown) => isLockError(error, 'LOCK_MISCONFIGURED') && error.message.includes('GSSAPI'),
    ),
  );
  await expect(openLocks(url)).rejects.toMatchObject({ code: 'LOCK_MISCONFIGURED' });
  await ask('');
  await eventually('a lock', () => locks.withLock('job', () => true).catch(() => false));
});

/** One of the pieces that a server sends, with other bytes at one place: more, fewer, or others. */
function createChange(random: (below: number) => number): (piece: Buffer, index: number) => Buffer {
  const [changed, place, length, value] = [random(8), random(2 ** 20), random(7), random(256)];
  const removed = random(2) * length;
  return (piece, index) => {
    if (index !== changed) return piece;
    const at = place % piece.length;
    return Buffer.concat([piece.subarray(0, at), Buffer.alloc(length, value), piece.subarray(at + removed)]);
  };
}

test.each([
  ['Postgres', startPostgres],
  ['MariaDB', startMariadb],
])(
  'bytes of %s that are changed on their way end as errors of calls',
  async (_, start) => {
    const server = await start();
    onTestFinished(() => server.stop());
    const prepared = await openLocks({ url: server.url, options: { migrate: true } });
    await prepared.close();
    const numbers = createRandom(7);
    const random = (below: number): number => Math.floor(numbers() * below);
    const url = await startFront(server.url, (client, back) => {
      const change = createChange(random);
      let pieces = 0;
      back.on('data', (piece) => client.write(change(piece, pieces++)));
      client.on('data', (piece) => back.write(piece));
    });
    // A change of the length alone ends as silence.
    const options = { timeout: 1_500, connectTimeout: 1_500, pool: 2 };
    const ended = new Map<string, number>();
    const attempt = async (key: string): Promise<string> => {
      try {
        const locks = await openLocks({ url, options, closeTimeout: 100 });
        try {
          await locks.tryAcquire(key);
        } finally {
          await locks.close();
        }
        return 'held';
      } catch (error) {
        expect(isLockError(error), String(error)).toBe(true);
        return (error as LockError).code;
      }
    };
    const calls = Array.from({ length: 8 }, async (__, call) => {
      for (let round = 0; round < 15; round += 1) {
        const code = await attempt(`job ${call} ${round}`);
        ended.set(code, (ended.get(code) ?? 0) + 1);
      }
    });
    await Promise.all(calls);
    // Some of the changes are harmless.
    expect(Math.min(ended.get('held') ?? 0, ended.get('LOCK_UNAVAILABLE') ?? 0)).toBeGreaterThan(10);
  },
  120_000,
);
