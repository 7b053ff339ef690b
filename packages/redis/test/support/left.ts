import type { LeakCounts } from '@locks/conformance';
import type { Redis } from 'ioredis';

/**
 * What a provider may leave in Redis: token counters, the marker of `restartGuard`, and the record
 * of a quorum.
 */
const mayStay = /\}:(?:token|server|register:quorum)$/;

/** What a requirement has left in Redis. */
export async function left(observer: Redis, prefix: string): Promise<LeakCounts> {
  const names = await observer.keys(`*${prefix}*`);
  const channels = (await observer.pubsub('CHANNELS', `${prefix}*`)) as readonly unknown[];
  const connections = String(await observer.client('LIST'))
    .trim()
    .split('\n').length;
  return {
    keys: names.filter((name) => !mayStay.test(name)).length,
    channels: channels.length,
    connections,
  };
}

/** The sums over several servers. */
export async function leftOfAll(observers: readonly Redis[], prefix: string): Promise<LeakCounts> {
  const counts = await Promise.all(observers.map((observer) => left(observer, prefix)));
  const sum = (name: keyof LeakCounts): number => counts.reduce((total, count) => total + (count[name] ?? 0), 0);
  return { keys: sum('keys'), channels: sum('channels'), connections: sum('connections') };
}
