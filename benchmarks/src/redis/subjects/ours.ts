import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { ttl } from '../../subjects/party.ts';
import { watchPlaces } from '../../subjects/places.ts';
import type { Subject } from './subject.ts';

/** As the README shows it, with default options: fencing tokens, fair queue, renewal. */
export const ours: Subject = {
  name: '@locks',
  open(client) {
    const locks = createLocks(createRedisProvider(client), { ttl });
    return { acquire: (key) => locks.acquire(key), watchPlaces };
  },
};
