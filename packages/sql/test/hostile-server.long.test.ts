import { readFile, writeFile } from 'node:fs/promises';
import { isLockError, openLocks } from '@locks/core';
import { eventually, startPostgres } from '@locks/test-servers';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

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
