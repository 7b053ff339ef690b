import { redisCommand } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';

/** Sets an option of each of `servers`. */
export async function configure(servers: readonly ServerHandle[], name: string, value: string): Promise<void> {
  await Promise.all(servers.map((server) => redisCommand(server, 'CONFIG', 'SET', name, value)));
}
