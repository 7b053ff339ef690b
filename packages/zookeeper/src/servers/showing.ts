import type { ConnectionParts } from '../connection/connect.ts';

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
  if (ask === undefined) return { auth, tls };
  let give = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    give = () => reject(signal.reason as Error);
    signal.addEventListener('abort', give);
  });
  if (signal.aborted) give();
  try {
    return await Promise.race([ask(), aborted]);
  } finally {
    signal.removeEventListener('abort', give);
  }
}
