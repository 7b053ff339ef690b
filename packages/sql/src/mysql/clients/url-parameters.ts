import { commonParameters, valuesOf } from '../../dialect/pools/url-parameters.ts';
import type { UrlParameters } from '../../dialect/pools/url-parameters.ts';

/** With TLS, the certificate is checked, as with `sslmode` of Postgres. */
const checked = { tls: true };

/** Parameters of MySQL's own clients, of mysql2, and of Prisma. */
export const urlParameters: UrlParameters = {
  ...commonParameters,
  socketPath: (host) => ({ host }),
  'ssl-mode': valuesOf({
    disabled: { tls: false },
    preferred: checked,
    required: checked,
    verify_ca: checked,
    verify_identity: checked,
  }),
};
