import { LockError } from '@locks/core/adapter';
import type { RedisClient, RedisClusterClient } from './client.ts';

/** A server that has keys. */
export interface KeyHolder {
  readonly client: RedisClient;
  /** Asks for its role, where scripts cannot be sent to this server alone. */
  readonly replication?: () => Promise<unknown>;
}

/** What differs between one server and a Cluster of them. */
export interface Servers {
  /** `PUBLISH` reaches the subscribers of all servers, and counts those of one. */
  readonly clustered: boolean;
  /**
   * The connections that the next command may go over; `undefined` while the client has none and
   * keeps commands for later.
   */
  connections(): unknown;
  /**
   * Whether a command that was called at `connections()` can have gone out once only: a client
   * sends again what a broken connection left unanswered.
   */
  unbroken(connections: unknown): boolean;
  /** The clients of which copies are to listen. */
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
