import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@locks/test-servers';
import { connect } from './database.ts';

/** Does `work` while each commit that must be durable waits for a standby that is not there. */
export async function withAbsentStandby(url: string, work: () => Promise<void>): Promise<void> {
  const client = await connect(url);
  await client.query('CREATE TABLE IF NOT EXISTS probe ()');
  await client.query("ALTER SYSTEM SET synchronous_standby_names = 'absent'");
  await client.query('SELECT pg_reload_conf()');
  try {
    await untilCommitsWait(url);
    await work();
  } finally {
    await client.query('ALTER SYSTEM RESET synchronous_standby_names');
    await client.query('SELECT pg_reload_conf()');
  }
}

/** How many commits wait for it. */
export async function commitsThatWait(url: string): Promise<number> {
  const client = await connect(url);
  const { rows } = await client.query("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  return rows.length;
}

/** Processes of a server take new settings one after the other. */
async function untilCommitsWait(url: string): Promise<void> {
  const [writer, client] = [await connect(url), await connect(url)];
  let written = Promise.resolve(true);
  await eventually('a commit that waits', async () => {
    if (await Promise.race([written, delay(5, false)]))
      written = writer.query('INSERT INTO probe DEFAULT VALUES').then(() => true);
    const { rows } = await client.query("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    return rows.length > 0;
  });
}
