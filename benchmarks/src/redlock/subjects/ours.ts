import { combine } from '@locks/composites';
import { createLocks } from '@locks/core';
import { createRedisProvider } from '@locks/redis';
import { ttl } from '../../subjects/party.ts';
import { watchPlaces } from '../../subjects/places.ts';
import type { Subject } from './subject.ts';

/** As in `docs/quorum.md`, with default options. */
export const ours: Subject = combined(true);

/** Without the second phase. The peers have no tokens either. */
export const oursUnfenced: Subject = combined(false);

function combined(fencing: boolean): Subject {
  return {
    open(clients) {
      const members = clients.map((client) => createRedisProvider(client));
      const locks = createLocks(combine(members, { fencing }), { ttl });
      return { acquire: (key) => locks.acquire(key), watchPlaces };
    },
  };
}
