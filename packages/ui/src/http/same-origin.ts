import type { IncomingMessage } from 'node:http';
import { Refusal } from './answers.ts';

/**
 * The page sets it. A form of another site cannot, and a browser asks before a script of one does.
 */
export const ownHeader = 'x-locks-ui';

/**
 * @throws `Refusal` for a request that a page of another origin has made, whose cookies would be
 * those of the operator. A program that is no browser says nothing of an origin.
 */
export function checkOrigin({ headers }: IncomingMessage): void {
  // Browsers send it over https and to this host. A proxy may change the host, but not this.
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  if (site === undefined && (headers.origin === undefined || hostOf(headers.origin) === headers.host)) return;
  throw new Refusal(403, 'This request comes from a page of another origin. Use the page of the locks itself.');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
