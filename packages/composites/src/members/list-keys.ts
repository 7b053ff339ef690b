import type { LockError } from '@locks/core/adapter';
import { scheduleSilence } from '@locks/core/composite';
import { combinedError } from './member-errors.ts';
import type { MembersHost } from './member-states.ts';
import type { Member } from './member.ts';

/** The list of one member, of which one key is read ahead. */
interface Listing {
  readonly member: Member;
  readonly keys: AsyncIterator<string>;
  /** The next key has been asked for since then, in ms of the clock. `undefined`: it is there. */
  since: number | undefined;
  key: string | undefined;
  end: 'done' | LockError | undefined;
}

/**
 * The keys that any member lists, each once. All are asked at once. A member that gives nothing for
 * a member timeout, or is suspect, is not waited for where the others are enough. Rejects where
 * `need` members or more failed: a key that `need` members have may be in their lists alone.
 */
export async function* listKeys(host: MembersHost, prefix: string): AsyncGenerator<string, void> {
  const { members, need, memberTimeout, timeout, runtime, timers } = host;
  const { clock } = runtime;
  let wake: () => void = () => {};
  const listings = members.map((member): Listing => {
    const keys = (member.provider.list?.(prefix) ?? nothing())[Symbol.asyncIterator]();
    return { member, keys, since: undefined, key: undefined, end: undefined };
  });
  for (const listing of listings) void pull(listing);
  const seen = new Set<string>();
  try {
    for (;;) {
      const ready = listings.find(({ key }) => key !== undefined);
      if (ready !== undefined) {
        const key = ready.key as string;
        void pull(ready);
        if (!seen.has(key)) yield key;
        seen.add(key);
        continue;
      }
      const open = listings.filter(({ end }) => end === undefined);
      const waitedFor = open.filter(({ member, since = 0 }) => !member.suspect && clock.now() < since + memberTimeout);
      const failures = listings.flatMap(({ end }) => (end === undefined || end === 'done' ? [] : end));
      const enough = open.length + failures.length < need;
      if (open.length === 0 || (enough && waitedFor.length === 0)) {
        if (enough) return;
        throw combinedError(host, failures, prefix);
      }
      await change(enough ? waitedFor : open, enough ? memberTimeout : timeout);
    }
  } finally {
    for (const { keys } of listings) keys.return?.().catch(() => {});
  }

  async function pull(listing: Listing): Promise<void> {
    listing.key = undefined;
    listing.since = clock.now();
    try {
      const next = await listing.keys.next();
      if (next.done === true) listing.end ??= 'done';
      else if (listing.end === undefined) listing.key = next.value;
    } catch (error) {
      listing.end ??= listing.member.name(error, prefix);
    }
    listing.since = undefined;
    wake();
  }

  /** Waits for the next answer, or until the first of `open` has been silent for `limit` ms. */
  async function change(open: readonly Listing[], limit: number): Promise<void> {
    const end = Math.min(...open.map(({ since = clock.now() }) => since)) + limit;
    await new Promise<void>((resolve) => {
      const silence = scheduleSilence(timers, end, () => {
        for (const each of open)
          if (clock.now() >= (each.since ?? Infinity) + timeout) each.end = each.member.noAnswer(prefix);
        resolve();
      });
      wake = () => {
        timers.cancel(silence);
        resolve();
      };
    });
  }
}

async function* nothing(): AsyncGenerator<string, void> {}
