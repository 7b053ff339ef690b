import type { LockError } from '@locks/core/adapter';
import { combinedError } from './member-errors.ts';
import type { MembersHost } from './member-states.ts';
import type { Member } from './member.ts';

/** The list of one member, of which one key is read ahead. */
interface Listing {
  readonly member: Member;
  readonly keys: AsyncIterator<string>;
  /** The next key has not come within a member timeout. */
  late: boolean;
  key: string | undefined;
  end: 'done' | LockError | undefined;
}

/**
 * The keys that any member lists, each once. All are asked simultaneously. A member that returns
 * nothing for a member timeout, or is suspect, is not awaited if the others suffice. Rejects if
 * `need` members or more failed: a key of `need` members may be in their lists only.
 */
export async function* listKeys(host: MembersHost, prefix: string): AsyncGenerator<string, void> {
  const { members, need, timeout, silences } = host;
  let wake: () => void = () => {};
  const listings = members.map((member): Listing => {
    const keys = (member.provider.list?.(prefix) ?? nothing())[Symbol.asyncIterator]();
    return { member, keys, late: false, key: undefined, end: undefined };
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
      const isWaitedFor = open.some(({ member, late }) => !member.suspect && !late);
      const failures = listings.flatMap(({ end }) => (end === undefined || end === 'done' ? [] : end));
      const enough = open.length + failures.length < need;
      if (open.length === 0 || (enough && !isWaitedFor)) {
        if (enough) return;
        throw combinedError(host, failures, prefix);
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    for (const { keys } of listings) keys.return?.().catch(() => {});
  }

  async function pull(listing: Listing): Promise<void> {
    listing.key = undefined;
    const silent = (): void => {
      listing.late = true;
      wake();
    };
    const expired = (): void => {
      listing.end = listing.member.noAnswer(prefix);
      wake();
    };
    const wait = silences.begin(silent, expired, timeout);
    try {
      const next = await listing.keys.next();
      if (next.done === true) listing.end ??= 'done';
      else if (listing.end === undefined) listing.key = next.value;
    } catch (error) {
      listing.end ??= listing.member.name(error, prefix);
    }
    silences.end(wait);
    listing.late = false;
    wake();
  }
}

async function* nothing(): AsyncGenerator<string, void> {}
