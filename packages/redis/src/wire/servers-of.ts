import { openConnection } from './client.ts';
import { clusterOf } from './cluster.ts';
import { isCluster } from './servers.ts';
import type { AnyRedisClient, Servers } from './servers.ts';

/** The servers behind `client`. `random` returns a number in [0, 1). */
export function serversOf(client: AnyRedisClient): Servers {
  if (isCluster(client)) return clusterOf(client);
  return {
    clustered: false,
    connections: () => openConnection(client),
    unbroken: (connection) => sendsOnce(client) || (connection !== undefined && connection === client.stream),
    listenAt: () => [client],
    holders: () => [{ client }],
  };
}

/** Whether the client never resends what a broken connection left unanswered. */
function sendsOnce({ sendsOnce: told = false, options }: AnyRedisClient): boolean {
  return told || options?.maxRetriesPerRequest === 0;
}
