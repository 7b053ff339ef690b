import { IoredisAdapter, createLock } from 'redlock-universal';
import { retrySettings } from './retry-settings.ts';
import { ttl } from '../../subjects/party.ts';
import type { Subject } from './subject.ts';

/** In its fastest mode, "lean". */
export const redlockUniversal: Subject = {
  name: 'redlock-universal',
  open(client, options) {
    const { retryAttempts } = retrySettings.redlockUniversal;
    const retryDelay = options.retryDelay ?? retrySettings.redlockUniversal.retryDelay;
    const adapter = new IoredisAdapter(client);
    return {
      async acquire(key) {
        const lock = createLock({ adapter, key, ttl, performance: 'lean', retryAttempts, retryDelay });
        const handle = await lock.acquire();
        return { release: () => lock.release(handle) };
      },
    };
  },
};
