import type { LeakCounts } from '@locks/conformance';
import type { Redis } from 'ioredis';

/**
 * What a provider may leave in Redis: token counters, the marker of `restartGuard`, and the records
 * of a quorum and of jobs.
 */
const mayStay = /\}:(?:token|server|register:(?:quorum|jobs?\/.*))$/;
/** A composite keeps the version of each register that it removed. */
const isRegister = /\}:register:/;

/** What a requirement has left in Redis. */
export async function left(observer: Redis, prefix: string, registersStay = false): Promise<LeakCounts> {
  const names = await observer.keys(`*${prefix}*`);
  const channels = (await observer.pubsub('CHANNELS', `${prefix}*`)) as readonly unknown[];
  const connections = String(await observer.client('LIST'))
    .trim()
    .split('\n').length;
  return {
    keys: names.filter((name) => !mayStay.test(name) && !(registersStay && isRegister.test(name))).length,
    channels: channels.length,
    connections,
  };
}

/** The sums over several servers. */
export async function leftOfAll(observers: readonly Redis[], prefix: string): Promise<LeakCounts> {
  const counts = await Promise.all(observers.map((observer) => left(observer, prefix, true)));
  const sum = (name: keyof LeakCounts): number => counts.reduce((total, count) => total + (count[name] ?? 0), 0);
  return { keys: sum('keys'), channels: sum('channels'), connections: sum('connections') };
}
