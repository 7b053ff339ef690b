import type { ConnectionParts } from '../connection/connect.ts';
import { unlessAborted } from '../connection/unless-aborted.ts';

/** The credentials of a connection. */
export type Shown = Pick<ConnectionParts, 'auth' | 'tls'>;

/** Those of all connections. */
export interface Showing extends Shown {
  /** Those of the next one, if they may change. */
  readonly ask?: (() => Promise<Shown>) | undefined;
}

/**
 * The credentials of the next connection. Rejects immediately when `signal` is aborted, as the
 * caller's functions may be slow.
 */
export async function shownNow({ auth, tls, ask }: Showing, signal: AbortSignal): Promise<Shown> {
  return ask === undefined ? { auth, tls } : await unlessAborted(ask(), signal);
}
