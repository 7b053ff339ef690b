import { eventually } from '@locks/test-servers';
import { expect, test } from 'vitest';
import { unavailable } from '../../../core/test/support/lock-error.ts';
import { withClient, serverOfFile } from './support/database.ts';
import { join } from '../servers/parties.ts';

const server = await serverOfFile();
const { url } = server;

test('a standby is unavailable, also to claims that wait, until it is promoted', async () => {
  const { locks, provider } = join(url);
  await (await locks.acquire('job')).release();
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
    // With this file a server starts as a standby.
    await client.query(`COPY (SELECT 1 WHERE false) TO '${rows[0]?.folder}/standby.signal'`);
  });
  await server.restart();
  const claim = { key: 'job', owner: 'probe', ttl: 1_000, mode: 'exclusive' } as const;
  const refusal = await eventually('its own words', () =>
    provider.tryAcquire(claim).then(
      () => undefined,
      (error: unknown) => /standby/.test(String(error)) && error,
    ),
  );
  expect(refusal).toMatchObject(unavailable(/standby/));
  const waiting = locks.acquire('job', { wait: 20_000 });
  await withClient(url, (client) => client.query('SELECT pg_promote()'));
  expect(await (await waiting).release()).toBe(true);
});
