import { setImmediate as turn } from 'node:timers/promises';
import { LockError } from '@locks/core';
import type { Claim, LockProvider, Traits } from '@locks/core';
import { wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';
import { textbookTraits } from './textbook.ts';

const traits: Traits = { ...textbookTraits, fencing: 'none', fair: false, shared: false, wake: false };

/** What the commands of such a recipe do to one string per key. */
interface Commands {
  readonly take: (claim: Claim) => boolean | Promise<boolean>;
  readonly prolong: (claim: Claim) => boolean;
  readonly free: (claim: Claim) => boolean;
  readonly isTaken: (key: string) => boolean;
}

/** A provider as it stands in many blogs: no owner, no token, no queue. */
function fromBlog(commands: Commands): LockProvider {
  let closed = false;
  async function send<T>(command: () => T | Promise<T>): Promise<T> {
    if (closed) throw new LockError('LOCK_CLOSED', 'This provider is closed.');
    await turn();
    return await command();
  }
  return {
    name: 'blog',
    traits,
    async tryAcquire(claim) {
      if (claim.mode === 'shared') throw new LockError('LOCK_INVALID', 'Shared mode is not supported.');
      return (await send(() => commands.take(claim))) ? { granted: true, token: 0n } : { granted: false };
    },
    renew: (claim) => send(() => commands.prolong(claim) && {}),
    release: (claim) => send(() => commands.free(claim)),
    inspect: (key) =>
      send(() => {
        const holders = commands.isTaken(key) ? [{ owner: 'unknown', mode: 'exclusive' } as const] : [];
        return { key, holders, waiters: 0 };
      }),
    async close() {
      closed = true;
    },
  };
}

/**
 * Well-known recipes that are wrong. Those that are one wrong step of a sound provider are among
 * the other flaws.
 */
export const knownRecipes: readonly Flaw[] = [
  {
    name: 'INCR without expiry',
    caughtBy: ['expiry-on-time', 'repeat-same-token', 'release-only-own'],
    mayAlsoFail: ['*'],
    make: () => {
      const counts = new Map<string, number>();
      return () =>
        fromBlog({
          take({ key }) {
            const count = (counts.get(key) ?? 0) + 1;
            counts.set(key, count);
            return count === 1;
          },
          prolong: ({ key }) => counts.has(key),
          free: ({ key }) => counts.delete(key),
          isTaken: (key) => counts.has(key),
        });
    },
  },
  {
    name: 'SETNX then EXPIRE: two steps',
    caughtBy: ['close-in-mid-attempt'],
    make: wrapped((inner) => ({
      async tryAcquire(claim, wake) {
        const answer = await inner.tryAcquire({ ...claim, ttl: 86_400_000 }, wake);
        if (answer.granted) await inner.renew(claim);
        return answer;
      },
    })),
  },
  {
    name: 'SETNX + GETSET on client clocks',
    caughtBy: ['expiry-on-time', 'stale-after-takeover'],
    mayAlsoFail: ['*'],
    make: () => {
      const expiries = new Map<string, number>();
      let clients = 0;
      return () => {
        // The clock of each client is ahead of that of the one before.
        const ahead = 120 * (clients += 1);
        const clock = (): number => performance.now() + ahead;
        return fromBlog({
          async take({ key, ttl }) {
            const seen = expiries.get(key);
            if (seen === undefined) return expiries.set(key, clock() + ttl).size > 0;
            if (seen >= clock()) return false;
            await turn();
            const before = expiries.get(key);
            // GETSET, by those who lose the race too.
            expiries.set(key, clock() + ttl);
            return before === seen;
          },
          prolong: ({ key, ttl }) => expiries.has(key) && expiries.set(key, clock() + ttl).size > 0,
          free: ({ key }) => expiries.delete(key),
          isTaken: (key) => (expiries.get(key) ?? 0) >= clock(),
        });
      };
    },
  },
];
