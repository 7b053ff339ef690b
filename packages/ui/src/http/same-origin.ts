import type { IncomingMessage } from 'node:http';
import { Refusal } from './answers.ts';

/**
 * Set by the page. A form of another site cannot set it, and a browser asks before a script does.
 */
export const ownHeader = 'x-locks-ui';

/**
 * @throws `Refusal` for a request from a page of another origin, which would use the operator's
 * cookies. Programs that are no browsers send no origin.
 */
export function checkOrigin({ headers }: IncomingMessage): void {
  // Browsers send it over https and to this host. Unlike the host, a proxy does not change it.
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  if (site === undefined && (headers.origin === undefined || hostOf(headers.origin) === headers.host)) return;
  throw new Refusal(403, 'This request comes from a page of another origin. Use the page of the locks itself.');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
