import Redlock from 'redlock';
import { retrySettings } from '../../redis/subjects/retry-settings.ts';
import { ttl } from '../../subjects/party.ts';
import type { Subject } from './subject.ts';

export const redlock: Subject = {
  open(clients, { retryDelay }) {
    const { redlock: settings } = retrySettings;
    const own = retryDelay === undefined ? settings : { ...settings, retryDelay, retryJitter: retryDelay };
    const library = new Redlock(clients, own);
    // It reports every busy answer as an error event.
    library.on('error', () => {});
    return { acquire: (key) => library.acquire([key], ttl) };
  },
};
