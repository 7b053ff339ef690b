import { subscribe } from 'node:diagnostics_channel';
import { createLocks } from '@locks/core';
import type { Lease, WaitMessage } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { now } from '../clock.ts';
import { ttl } from './subject.ts';
import type { Held, Places, Subject } from './subject.ts';

/** As the README shows it, with default options: fencing tokens, fair queue, renewal. */
export const ours: Subject = {
  name: '@locks',
  open(client) {
    const locks = createLocks(createRedisProvider(client), { ttl });
    return { acquire: (key) => locks.acquire(key), watchPlaces };
  },
};

/** A claim has its place at the latest when its first attempt was answered: then it says that it waits. */
function watchPlaces(key: string): Places {
  const placedAt = new Map<string, number>();
  subscribe('locks:wait', (message) => {
    const { key: waitedFor, owner } = message as WaitMessage;
    if (waitedFor === key) placedAt.set(owner, now());
  });
  return {
    of(held: Held) {
      const { owner } = held as Lease;
      const place = placedAt.get(owner);
      placedAt.delete(owner);
      return place ?? Infinity;
    },
    waiting: () => [...placedAt.values()],
  };
}
