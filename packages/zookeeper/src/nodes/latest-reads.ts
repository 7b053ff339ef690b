import { Batches } from '@locks/core/adapter';
import type { Sender } from '../session/session.ts';
import { sync } from '../wire/requests.ts';
import { refusal } from './refusal.ts';

interface LatestRead {
  readonly session: Pick<Sender, 'send'>;
  readonly path: string;
  readonly read: () => Promise<unknown>;
}

/**
 * Reads that find all that any client committed before they were asked for. A follower may lag
 * behind other servers, so a `sync` goes before them, in the same flight. Reads of one tick share
 * it.
 */
export class LatestReads {
  readonly #batches = new Batches<LatestRead, unknown>({
    fits: ({ session }, [first]) => session === first?.session,
    alone: async (read) => await (await readBehindSync([read]))[0],
    together: readBehindSync,
  });

  /** The result of `read`, at or below `path`. */
  read<T>(session: LatestRead['session'], path: string, read: () => Promise<T>): Promise<T> {
    return this.#batches.call({ session, path, read }) as Promise<T>;
  }
}

async function readBehindSync(reads: readonly LatestRead[]): Promise<readonly Promise<unknown>[]> {
  const [{ session, path }] = reads as [LatestRead];
  const syncing = session.send(sync(path));
  const answers = reads.map(({ read }) => read());
  // Without the reply to the sync there is none to the reads.
  for (const answer of answers) answer.catch(() => {});
  const synced = await syncing;
  return synced.ok ? answers : reads.map((each) => Promise.reject(refusal(synced, each.path)));
}
