import { createLocks } from '@locks/core';
import type { LocksOptions } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { ttl } from '../../subjects/party.ts';
import type { Party } from '../../subjects/party.ts';
import { watchPlaces } from '../../subjects/places.ts';
import type { Subject } from './subject.ts';

/** As the README shows it, with default options: fencing tokens, fair queue, renewal. */
export function ownParty(
  client: Parameters<typeof createRedisProvider>[0],
  localHandOff?: LocksOptions['localHandOff'],
): Party {
  const locks = createLocks(createRedisProvider(client), { ttl, localHandOff });
  return { acquire: (key) => locks.acquire(key), watchPlaces };
}

export const ours: Subject = { name: '@locks', open: (client) => ownParty(client) };

/**
 * With an option that shows only where many claims of a process wait. Not compared with peers, as
 * the order is not that of the line.
 */
export const oursHandingOff: Subject = {
  name: '@locks, localHandOff',
  open: (client) => ownParty(client, { count: 16, ms: 40 }),
};
