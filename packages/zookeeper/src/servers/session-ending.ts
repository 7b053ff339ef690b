import type { Runtime } from '@locks/core/adapter';
import type { Connection } from '../connection/connection.ts';
import type { AbandonedSession, SessionEnding } from './transport.ts';

/** How one session is ended. Continues until `over` aborts. */
export interface Ending {
  readonly over: AbortSignal;
  /** `finish` waits for it, so it keeps the process alive. */
  finishing(): boolean;
}

/** Ends each session by `end`, which never rejects. */
export function sessionEnding(
  runtime: Runtime,
  end: (session: AbandonedSession, connection: Connection | undefined, ending: Ending) => Promise<void>,
): SessionEnding {
  const over = new AbortController();
  let finishing = false;
  const ending: Ending = { over: over.signal, finishing: () => finishing };
  let work: Promise<void> | undefined;
  return {
    add(session, connection) {
      work = Promise.all([work, end(session, connection, ending)]).then(() => {});
    },
    async finish(within) {
      finishing = true;
      const timer = runtime.setTimer(() => over.abort(), within, true);
      await work;
      runtime.clearTimer(timer);
      over.abort();
    },
  };
}
