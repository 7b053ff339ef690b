import type { KeyLockable, Lease, Locks, MultiLease } from '@locks/core';
import type { Turn } from '../script.ts';

/** The options of a call that its object does not set. */
function optionsOf({ wait, renew, reentrant, ttl, lockDelay, atLeast, abortAfter }: Turn) {
  const signal = abortAfter === undefined ? undefined : AbortSignal.timeout(abortAfter);
  return { wait, renew, reentrant, ttl, lockDelay, atLeast, signal };
}

/** The calls of a turn: those of an object, or those of `locks` itself. */
export interface Calls {
  acquire(): Promise<Lease>;
  tryAcquire(): Promise<Lease | null>;
  withLock(work: (lease: Lease) => Promise<unknown>): Promise<unknown>;
  tryWithLock(work: (lease: Lease) => Promise<unknown>): Promise<{ readonly held: boolean }>;
}

/** The name of a key in the store. */
export type Naming = (key: string) => string;

/** The calls of `turn`. */
export function callsOf(locks: Locks, turn: Turn, name: Naming): Calls {
  const { mode, permits, count = 1, how, byObject = false } = turn;
  const key = name(turn.key);
  const options = optionsOf(turn);
  if (!byObject && how !== 'multiLock' && count === 1) {
    const all = { ...options, mode, permits };
    return {
      acquire: () => locks.acquire(key, all),
      tryAcquire: () => locks.tryAcquire(key, all),
      withLock: (work) => locks.withLock(key, all, work),
      tryWithLock: (work) => locks.tryWithLock(key, all, work),
    };
  }
  const object = objectOf(locks, turn, name);
  return {
    acquire: () => object.acquire(options),
    tryAcquire: () => object.tryAcquire(options),
    withLock: (work) => object.withLock(options, work),
    tryWithLock: (work) => object.tryWithLock(options, work),
  };
}

function objectOf(
  locks: Locks,
  { key: own, more = [], how, mode, permits, count = 1 }: Turn,
  name: Naming,
): Pick<KeyLockable, keyof Calls> {
  const key = name(own);
  if (how === 'multiLock') return locks.multiLock([key, ...more.map(name)]);
  if (permits !== undefined) return locks.semaphore(key, permits).take(count);
  if (!locks.traits.shared) return locks.mutex(key);
  const both = locks.readWriteLock(key);
  return mode === 'shared' ? both.read : both.write;
}

/** The token of one key of a lease. */
export function tokenOf(lease: Lease, key: string): bigint {
  return (lease as Partial<MultiLease>).tokens?.get(key) ?? lease.token;
}

/** The code of `error`. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

/** Its message, with those of its causes. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : ` <- ${messageOf(error.cause)}`;
  return `${error.message}${cause}`;
}
