import { Redlock } from '@sesamecare-oss/redlock';
import { retrySettings } from './retry-settings.ts';
import { ttl } from '../../subjects/party.ts';
import type { Subject } from './subject.ts';

/** Redlock over one node. */
export const sesamecare: Subject = {
  name: 'sesamecare redlock',
  open(client, { retryDelay }) {
    const { sesamecare: settings } = retrySettings;
    const own = retryDelay === undefined ? settings : { ...settings, retryDelay, retryJitter: retryDelay };
    const library = new Redlock([client], own);
    // It reports every busy answer as an error event.
    library.on('error', () => {});
    return { acquire: (key) => library.acquire([key], ttl) };
  },
};
