import { commonParameters, valuesOf } from '../../dialect/pools/url-parameters.ts';
import type { UrlParameters } from '../../dialect/pools/url-parameters.ts';

/** libpq's 0 means no limit: the longest one. */
const longestTimeout = 600_000;

/** Parameters of libpq, and of Prisma. */
export const urlParameters: UrlParameters = {
  ...commonParameters,
  application_name: (applicationName) => ({ applicationName }),
  channel_binding: valuesOf({
    disable: { channelBinding: false },
    prefer: { channelBinding: true },
    require: { channelBinding: true },
  }),
  connect_timeout: (seconds) =>
    /^\d{1,3}$/.test(seconds) ? { connectTimeout: Number(seconds) * 1_000 || longestTimeout } : undefined,
  pgbouncer: valuesOf({ true: { listen: false }, false: {} }),
  // Locks need a primary: a standby refuses writes.
  target_session_attrs: valuesOf({ any: {}, 'read-write': {}, primary: {} }),
};
