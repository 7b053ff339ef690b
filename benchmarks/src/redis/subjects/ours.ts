import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { ttl } from '../../subjects/party.ts';
import type { Party } from '../../subjects/party.ts';
import { watchPlaces } from '../../subjects/places.ts';
import type { Subject } from './subject.ts';

/** As in the README, with default options: fencing tokens, fair queue, renewal. */
export function ownParty(client: Parameters<typeof createRedisProvider>[0]): Party {
  const locks = createLocks(createRedisProvider(client), { ttl });
  return { acquire: (key) => locks.acquire(key), watchPlaces };
}

export const ours: Subject = { name: '@locks', open: (client) => ownParty(client) };
