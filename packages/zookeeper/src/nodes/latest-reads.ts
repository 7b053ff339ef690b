import { Batches } from '@locks/core/adapter';
import type { Sender } from '../session/session.ts';
import { sync } from '../wire/requests.ts';
import { refusal } from './refusal.ts';

type SendingSession = Pick<Sender, 'send'>;

interface LatestRead {
  readonly session: SendingSession;
  readonly path: string;
  /** Sends the read. Gives what hands its answer out. */
  begin(): () => void;
  fail(error: unknown): void;
}

/**
 * Reads that find all that any client committed before they were asked for. A follower may lag
 * behind other servers, so a `sync` goes before them, in the same flight. Reads of one tick share
 * it.
 */
export class LatestReads {
  readonly #batches = new Batches<LatestRead>({
    fits: ({ session }, [first]) => session === first?.session,
    sendAlone: (read) => void sendBehindSync(read.session, [read]),
    send: (reads) => void sendBehindSync((reads[0] as LatestRead).session, reads),
  });

  /** The result of `read`, at or below `path`. */
  read<T>(session: SendingSession, path: string, read: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const begin = (): (() => void) => {
        const reading = read();
        // Without the reply to the sync there is none to the read.
        reading.catch(() => {});
        return () => resolve(reading);
      };
      this.#batches.add({ session, path, begin, fail: reject });
    });
  }
}

async function sendBehindSync(session: SendingSession, reads: readonly LatestRead[]): Promise<void> {
  try {
    const syncing = session.send(sync((reads[0] as LatestRead).path));
    const answers = reads.map((read) => read.begin());
    const synced = await syncing;
    for (const [index, { path, fail }] of reads.entries()) {
      if (synced.ok) answers[index]?.();
      else fail(refusal(synced, path));
    }
  } catch (error) {
    for (const { fail } of reads) fail(error);
  }
}
