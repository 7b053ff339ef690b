import { socketsHeard } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import type { Claim } from '@locks/core';
import type { KeyNames } from '../locks/keys.ts';
import type { RedisClient } from './client.ts';
import { nodeOf } from './cluster.ts';
import { isCluster } from './servers.ts';
import type { AnyRedisClient } from './servers.ts';

/** The part of a socket that the adapter uses. */
interface Stream {
  readonly bytesRead: number;
  destroy(error: Error): void;
}

/**
 * The part of its ttl after which a renewal leaves a silent connection. It is sent after a third.
 * With more, too little is left for another connection and a repeat. With less, a connection is
 * left while the server is busy.
 */
const patience = 1 / 4;
/**
 * In ms: no connection is left sooner. A hold that rests is renewed for what is left of that, which
 * may be moments, and nothing is lost with it. With less, a server that is busy for moments costs
 * all calls of the process; with more, leases with a short ttl are lost with their connection.
 */
const least = 100;

/**
 * Leaves silent connections of an own client whose `timeout`, after which the library does so, is
 * too long for a lease. Call it when a renewal is sent.
 */
export function silentConnections(
  client: AnyRedisClient,
  names: KeyNames,
  runtime: Runtime,
  timeout: number,
): (claim: Claim) => void {
  /** How soon each connection is checked for the renewals of this tick, in ms. */
  const watched = new Map<Stream, number>();
  const streamTo = (key: string): Stream | undefined => {
    const one: Pick<RedisClient, 'stream'> | undefined = isCluster(client) ? nodeOf(client, names.main(key)) : client;
    return one?.stream as Stream | undefined;
  };
  return ({ key, ttl }) => {
    const within = ttl * patience;
    const stream = least <= within && within < timeout ? streamTo(key) : undefined;
    if (stream === undefined || (watched.get(stream) ?? Infinity) <= within) return;
    // One check serves all renewals of a tick.
    if (watched.size === 0) process.nextTick(() => watched.clear());
    watched.set(stream, within);
    const { bytesRead } = stream;
    const look = async (): Promise<void> => {
      // After a blocked event loop an answer may be unread.
      await socketsHeard();
      if (stream.bytesRead === bytesRead) stream.destroy(new Error(`Redis was silent for ${Math.round(within)} ms`));
    };
    runtime.setTimer(() => void look(), within, false);
  };
}
