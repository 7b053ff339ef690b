import type { Traits } from './contract.ts';
import type { LockHolder, LockState } from './lock-state.ts';
import type { Election, Lead, Leadership } from './objects/election/election.ts';
import type { ElectOptions, LeadershipOptions } from './objects/election/options.ts';
import type { KeyLockable, MultiLockable, ReadWriteLock, Semaphore } from './objects/lockable.ts';
import type { JobRun } from './job-run.ts';
import type { OnceResult } from './objects/jobs/once-call.ts';
import type { OnceOptions } from './objects/jobs/options.ts';
import type { Slot } from './objects/jobs/slots.ts';
import type { Lease } from './lease.ts';
import type { Work } from './leases/hold/with-lock.ts';
import type { LockCalls } from './leases/lock-calls.ts';

/** The client: takes locks through one provider. */
export interface Locks extends LockCalls, AsyncDisposable {
  /** The provider's name. */
  readonly name: string;
  /** What the provider guarantees. */
  readonly traits: Traits;
  /** `key`, exclusively: `withLock(key, …)` and the others without repeating the key. */
  mutex(key: string): KeyLockable;
  /**
   * Many readers or one writer of `key`. First come, first served where the provider is fair.
   * Consecutive readers enter together.
   * @throws `LOCK_MISCONFIGURED` when the provider has no shared mode.
   */
  readWriteLock(key: string): ReadWriteLock;
  /**
   * At most `permits` simultaneous holders of `key`. Each permit has its own ttl. A process takes
   * one while fewer than its own number are taken, so processes with different numbers can coexist.
   * @throws `LOCK_MISCONFIGURED` when the provider has no shared mode. `LOCK_INVALID` for a number
   * that is no positive integer.
   */
  semaphore(key: string, permits: number): Semaphore;
  /**
   * All of `parts` or none, under one `wait`. A part is a key (as its mutex), a side of a
   * read/write lock, a semaphore or several permits. Free keys are taken simultaneously. Otherwise
   * parts are taken one by one in the order of their keys, the same everywhere, so two calls never
   * wait for each other. While it waits for a part it holds the earlier ones.
   * @throws `LOCK_INVALID` for an empty array, for anything but a key or an object of this client,
   * and for a key that occurs twice in different ways.
   */
  multiLock(parts: readonly (string | KeyLockable)[]): MultiLockable;
  /**
   * Continues the lease that `transfer` returned as `text`: the same key, mode, owner, token and
   * ttl. Of several calls with one text at most one gets it.
   * @throws `LOCK_LOST` when it was resumed already, released by force, or its ttl has ended.
   * `LOCK_UNAVAILABLE` when the answer is unknown: the call may be repeated. `LOCK_INVALID` for
   * other text, and where the provider has sessions.
   */
  resume(text: string): Promise<Lease>;
  /**
   * Becomes a candidate for leadership under `key`. `lead` runs while it leads, under the lease of
   * `key`. However a term ends, the candidate pauses for a cooldown and competes again, until
   * `stop`. Waiting and leading keep the process running.
   * @throws `LOCK_INVALID` for a wrong key or option.
   */
  elect(key: string, lead: Lead, options?: ElectOptions): Election;
  /** Observes who leads under `key`, without a candidate. */
  leadership(key: string, options?: LeadershipOptions): Leadership;
  /**
   * Runs `work` unless a call of any process has done so in the same `slot` of the job `key`. A
   * slot is a scheduled time, an interval by the clock of the store (`{ every: '1m' }`), or
   * `'ever'`. Resolves to the state of the slot (it ran here, runs elsewhere, is done, has failed
   * or has passed) and the last run of the job. The store keeps one record per job.
   * @throws what `tryWithLock` throws, and what `work` throws. `LOCK_MISCONFIGURED` where the
   * provider has no registers. `LOCK_INVALID` for a wrong slot or option, and for a slot that is
   * more than 5 s ahead of the clock of the store.
   */
  once<T>(key: string, slot: Slot, options: OnceOptions | undefined, work: Work<T>): Promise<OnceResult<T>>;
  once<T>(key: string, slot: Slot, work: Work<T>): Promise<OnceResult<T>>;
  /**
   * The last run of the job `key`, or `undefined` if it never ran.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer, `LOCK_MISCONFIGURED` where the
   * provider has no registers.
   */
  job(key: string): Promise<JobRun | undefined>;
  /** The last run of each job that ran at this store. @throws as `job` does. */
  jobs(): AsyncIterable<JobRun>;
  /**
   * Reopens the last slot of a job, so that the next call for it runs. `false`: it runs now, is
   * open already, or never ran. @throws as `job` does.
   */
  retryJob(key: string): Promise<boolean>;
  /**
   * Removes the record of an obsolete job. `false`: it runs, or does not exist. @throws as `job`
   * does.
   */
  forgetJob(key: string): Promise<boolean>;
  /**
   * The holders and waiters of `key`, as the store sees them now.
   * @throws `LOCK_UNAVAILABLE` when the backend did not answer.
   */
  inspect(key: string): Promise<LockState>;
  /**
   * The keys that start with `prefix` (by default all) and are held or waited for, unordered. A key
   * taken or freed meanwhile may be missing or included.
   * @throws `LOCK_INVALID` when the provider cannot list, `LOCK_UNAVAILABLE` when the backend did
   * not answer.
   */
  list(prefix?: string): AsyncIterable<string>;
  /**
   * Releases the hold of another process, which may be dead or hang: for operators. `holder` is one
   * of `inspect`, or its `key`, `owner` and `mode`. `true`: this freed it. `false`: `inspect` no
   * longer shows it. A live holder learns of it at its next renewal. Until then it works beside the
   * next holder, and only fencing tokens protect what both write.
   * @throws `LOCK_UNAVAILABLE` when the answer is unknown: check with `inspect`.
   */
  forceRelease(holder: Pick<LockHolder, 'key' | 'owner' | 'mode'>): Promise<boolean>;
  /**
   * New calls and waiters reject with `LOCK_CLOSED`, and the signals of held leases abort with it.
   * Work that runs under locks (`withLock`, `tryWithLock`, `once`, `elect`, the objects) is awaited
   * for at most `drain`, and its leases are renewed meanwhile. Leases of `acquire` are released
   * immediately. Then all other leases are released. The provider is closed too if `openLocks`
   * opened it, or option `closeProvider` says so. Both together take at most `closeTimeout`. Called
   * by such work, it resolves when the other work has ended, and the rest follows when its caller
   * has ended. Before Node 24 it may not recognise its caller, and then waits until `drain` ends:
   * see `findDeadlocks`.
   * Idempotent, never rejects.
   */
  close(): Promise<void>;
}
