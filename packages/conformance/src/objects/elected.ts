import { LockError } from '@locks/core';
import type { Lease, Lockable, Locks, ObjectOptions, Work } from '@locks/core';
import { overlay } from './overlay.ts';

type Term = Pick<ObjectOptions, 'ttl' | 'maxHold' | 'signal'>;

/**
 * One term of a leader under `key` as a lock: it is taken by election, and given back by the end of
 * the candidacy. Elections know neither `wait` nor `renew`.
 */
export function elected(locks: Locks, key: string): Pick<Lockable, 'acquire' | 'withLock'> {
  return { acquire: (options) => acquire(locks, key, options), withLock };

  async function withLock<T>(first: unknown, second?: unknown): Promise<T> {
    const [work, options] = (typeof first === 'function' ? [first, second] : [second, first]) as [Work<T>, Term];
    const lease = await acquire(locks, key, options);
    try {
      return await work(lease);
    } finally {
      await lease.release();
    }
  }
}

async function acquire(locks: Locks, key: string, { ttl, maxHold, signal }: Term = {}): Promise<Lease> {
  return await new Promise<Lease>((resolve, reject) => {
    const lead = async (lease: Lease): Promise<void> => {
      const release = async (): Promise<boolean> => {
        const { held } = lease;
        await election.stop();
        return held;
      };
      resolve(overlay(lease, { release, [Symbol.asyncDispose]: async () => void (await release()) }));
      await new Promise((ended) => lease.signal.addEventListener('abort', ended));
    };
    const election = locks.elect(key, lead, { ttl, maxHold, signal });
    const closed = new LockError('LOCK_CLOSED', 'The candidate does not stand for election any more.', { key });
    election.ended.then(() => reject(closed), reject);
  });
}
