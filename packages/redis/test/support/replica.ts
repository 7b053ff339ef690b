import { redisCommand, startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { eventually } from './redis.ts';

/** What a server that gets a replica is started with: it does not wait for a second one. */
export const promptCopy: readonly string[] = ['--repl-diskless-sync-delay', '0'];

/** Starts a replica of `master`. Resolves when it gets each write. */
export async function startReplica(master: ServerHandle): Promise<ServerHandle> {
  const replica = await startRedis();
  await redisCommand(replica, 'REPLICAOF', master.host, master.port);
  // After the copy a master sends no writes until its replica reports, which may take 1 s.
  for (const key of ['copied', 'followed']) {
    await redisCommand(master, 'SET', key, 'yes');
    await eventually('the copy', async () => (await redisCommand(replica, 'GET', key)) === 'yes');
  }
  return replica;
}
