import { LockError } from '@locks/core/adapter';
import type { RedisClient, RedisClusterClient } from './client.ts';

/** A server that stores keys. */
export interface KeyHolder {
  readonly client: RedisClient;
  /** Asks for its role, if scripts cannot be sent to this server only. */
  readonly replication?: () => Promise<unknown>;
}

/** What differs between one server and a Cluster. */
export interface Servers {
  /** `PUBLISH` reaches the subscribers of all servers, but counts those of one. */
  readonly clustered: boolean;
  /**
   * The connections that the next command may use; `undefined` while the client has none and keeps
   * commands.
   */
  connections(): unknown;
  /**
   * Whether a command called at `connections()` was sent at most once: a client resends what a
   * broken connection left unanswered.
   */
  unbroken(connections: unknown): boolean;
  /** The clients whose copies listen. */
  listenAt(): readonly RedisClient[];
  holders(): readonly KeyHolder[];
}

/** A client of one server, or of a Cluster. */
export type AnyRedisClient = RedisClient | RedisClusterClient;

export function isCluster(client: AnyRedisClient): client is RedisClusterClient {
  return (client as Partial<RedisClusterClient>).isCluster === true;
}

export function noNode(): LockError {
  return new LockError('LOCK_UNAVAILABLE', 'The client of the Redis Cluster knows no node.', { sent: false });
}
