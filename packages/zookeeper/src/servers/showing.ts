import type { ConnectionParts } from '../connection/connect.ts';
import { unlessAborted } from '../connection/unless-aborted.ts';

/** What a connection shows to its server. */
export type Shown = Pick<ConnectionParts, 'auth' | 'tls'>;

/** The same of all connections. */
export interface Showing extends Shown {
  /** What the next one shows, where that may change. */
  readonly ask?: (() => Promise<Shown>) | undefined;
}

/**
 * What the next connection shows. Rejects at once when `signal` is aborted, as the caller's
 * functions may take their time.
 */
export async function shownNow({ auth, tls, ask }: Showing, signal: AbortSignal): Promise<Shown> {
  return ask === undefined ? { auth, tls } : await unlessAborted(ask(), signal);
}
