import { IoredisAdapter, createRedlock } from 'redlock-universal';
import { retrySettings } from '../../redis/subjects/retry-settings.ts';
import { ttl } from '../../subjects/party.ts';
import type { Subject } from './subject.ts';

export const redlockUniversal: Subject = {
  open(clients, options) {
    const { retryAttempts } = retrySettings.redlockUniversal;
    const retryDelay = options.retryDelay ?? retrySettings.redlockUniversal.retryDelay;
    const adapters = clients.map((client) => new IoredisAdapter(client));
    return {
      async acquire(key) {
        const lock = createRedlock({ adapters, key, ttl, retryAttempts, retryDelay });
        const handle = await lock.acquire();
        return { release: () => lock.release(handle) };
      },
    };
  },
};
