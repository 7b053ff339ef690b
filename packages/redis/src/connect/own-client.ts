import type { RedisClient, RedisClusterClient } from '../wire/client.ts';

/** An own client: `connect`, `disconnect` and events on top of what the provider uses. */
export interface OwnClient extends RedisClient, Connecting {
  select(db: number): Promise<unknown>;
  info(section: string): Promise<unknown>;
}

/** The same for a Cluster. */
export interface OwnClusterClient extends RedisClusterClient, Connecting {}

/** What clients of one server and of a Cluster have in common. */
export interface Connecting {
  connect(): Promise<unknown>;
  disconnect(): void;
  on(event: string, listener: (error: Error) => void): unknown;
  once(event: 'ready', listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}
