import type { LockProvider } from '../../contract.ts';
import { LockError, isLockError } from '../../errors/lock-error.ts';
import type { JobRun, JobState } from '../../job-run.ts';
import type { Lease } from '../../lease.ts';
import { channels } from '../../leases/diagnostics/channels.ts';
import type { LockCalls } from '../../leases/lock-calls.ts';
import type { Work } from '../../leases/hold/with-lock.ts';
import { labelOf } from '../../text/label-of.ts';
import type { JobRecord } from './job-record.ts';
import { lockOfId } from './job-lock.ts';
import { idOf } from './job-store.ts';
import type { JobStore, ReadJob } from './job-store.ts';
import type { ReadOnceOptions } from './options.ts';
import { failureOf, outcomeOf, stateAfter } from './outcome.ts';
import { pauseWhileOpen } from './pause-while-open.ts';
import type { OpenHost } from './pause-while-open.ts';
import { runOf } from './run-of.ts';
import { storeTime } from './store-time.ts';
import { tryWhile } from './try-while.ts';
import { begun, crashed, retryAt, verdictOf } from './verdict.ts';

/** The result of a call of `once`. */
export type OnceResult<T> =
  | {
      readonly held: true;
      /** It ran here. */
      readonly state: 'ran';
      /** What the work returned. */
      readonly value: T;
      /** The run. */
      readonly job: JobRun;
    }
  | {
      readonly held: false;
      /**
       * `running`: elsewhere, in this slot or an earlier one. `done`, `failed`: how a run of this
       * slot ended. `passed`: a later slot has begun.
       */
      readonly state: 'running' | 'done' | 'failed' | 'passed';
      /** The last run of the job, if any. */
      readonly job?: JobRun;
    };

/** What jobs need from their client. */
export interface JobsHost extends OpenHost {
  readonly provider: LockProvider;
  readonly locks: LockCalls;
}

interface Told {
  readonly result: Extract<OnceResult<never>, { readonly held: false }>;
  /** Ms until its slot may be run again. `undefined`: never. */
  readonly retryIn: number | undefined;
}

/** What a call asks for. */
export interface Wanted {
  readonly key: string;
  readonly slot: number;
  readonly next: number | undefined;
  readonly options: ReadOnceOptions;
  /**
   * The time of the store that the slot is nearest to, in ms since 1970, and that of the monotonic
   * clock just before. `undefined`: the caller passed the time.
   */
  readonly foundAt: { readonly time: number; readonly clock: number } | undefined;
}

/**
 * How far a slot may be ahead of the store's clock, in ms; beyond it, the clock of the caller is
 * wrong. Schedulers fire some ms early. With more, a wrong clock takes runs of others. With less,
 * clocks must agree better.
 */
const mostAhead = 5_000;
/**
 * For how long a dead process keeps its position in a queue by default, in ms; the lock lasts for
 * its ttl.
 */
const waiterTtl = 6_000;

export class OnceCall {
  readonly #host: JobsHost;
  readonly #store: JobStore;
  readonly #recording: Set<Promise<void>>;
  readonly #wanted: Wanted;

  constructor(host: JobsHost, store: JobStore, recording: Set<Promise<void>>, wanted: Wanted) {
    this.#host = host;
    this.#store = store;
    this.#recording = recording;
    this.#wanted = wanted;
  }

  async run<T>(work: Work<T>): Promise<OnceResult<T>> {
    const result = await this.#run(work);
    if (!result.held) this.#publish(false, result.state, result.job);
    return result;
  }

  async #run<T>(work: Work<T>): Promise<OnceResult<T>> {
    const { key, slot, options } = this.#wanted;
    const { locks, runtime } = this.#host;
    const { wait } = options;
    const lockKey = lockOfId(idOf(key));
    const end = runtime.clock.now() + (wait ?? options.lock.ttl + (options.lock.lockDelay ?? 0) + waiterTtl);
    for (let tried = false; ;) {
      const seen = await this.#store.read(key);
      const told = await this.#told(seen.record);
      const left = Math.max(0, Math.ceil(end - runtime.clock.now()));
      if (told !== undefined && told.result.state !== 'running') {
        const { result, retryIn = Infinity } = told;
        if (wait === undefined || retryIn > left) return result;
        await pauseWhileOpen(this.#host, retryIn, options.lock.signal);
        tried = false;
        continue;
      }
      const isOwnSlot = seen.record?.slot === slot;
      if (tried && ((wait === undefined && isOwnSlot) || left === 0)) {
        return { held: false, state: 'running', ...this.#shown(seen.record) };
      }
      const lock = { ...options.lock, wait: tried ? left : Math.min(left, wait ?? 0), reentrant: false };
      const known = lock.wait === 0 ? seen : undefined;
      const run = (lease: Lease): Promise<OnceResult<T> | undefined> => this.#runUnder(lease, known, work);
      if (lock.wait > 0 && wait === undefined) {
        const isWanted = async (): Promise<boolean> => isBefore(slot, (await this.#store.read(key)).record);
        const result = await tryWhile(this.#host, lockKey, lock, isWanted, run);
        if (result !== undefined) return result;
      } else {
        const result = await locks.tryWithLock(lockKey, lock, run);
        if (result.held && result.value !== undefined) return result.value;
        if (!result.held && !tried && wait === undefined && told !== undefined && isOwnSlot) return told.result;
      }
      tried = true;
    }
  }

  /**
   * Under the lock. `undefined`: the record changed meanwhile, so the call starts over. `known`: it
   * was read directly before the lock.
   */
  async #runUnder<T>(lease: Lease, known: ReadJob | undefined, work: Work<T>): Promise<OnceResult<T> | undefined> {
    const { key, slot, next, options, foundAt } = this.#wanted;
    const { runtime } = this.#host;
    const { raw, record: was } = known ?? (await this.#store.read(key));
    const isDead = was?.state === 'running';
    // The lock is held here, so that run has ended.
    const record = isDead ? crashed(was) : was;
    const told = await this.#told(record);
    if (told !== undefined) {
      const isNews = isDead && record?.slot === slot;
      // What was read before the lock may be the record of a run that has ended since.
      if (isNews && (await this.#store.write(key, raw, record, 0)) === undefined) return undefined;
      // It may have to wait without the lock.
      return told.retryIn === undefined ? told.result : undefined;
    }
    const began =
      foundAt === undefined
        ? await storeTime(this.#host)
        : Math.round(foundAt.time + runtime.clock.now() - foundAt.clock);
    // The slot nearest to the time of the store may be a future one.
    if (foundAt === undefined && slot > began + mostAhead) throw this.#tooEarly(slot, began);
    if (was === undefined) await this.#store.enlist(key);
    const by = labelOf(lease.owner);
    const run = lease.owner.slice(by.length + 1);
    const mine = begun(record, { slot, run, by, began, next });
    const own = await this.#store.write(key, raw, mine, lease.remaining / 2);
    if (own === undefined) return undefined;
    const sentAt = runtime.clock.now();
    const settle = async (state: JobState, more: Partial<JobRecord> = {}): Promise<JobRun> => {
      const ended = Math.round(began + runtime.clock.now() - sentAt);
      const after = { ...mine, ...outcomeOf(mine, state), state, ended, ...more };
      await this.#record(own, after);
      const shown = runOf(key, after, ended);
      this.#publish(true, state, shown);
      return shown;
    };
    if (lease.signal.aborted) {
      // No work has begun, so its slot is left to others.
      await this.#record(own, { ...mine, state: 'open' });
      throw lease.signal.reason;
    }
    let value: T;
    try {
      value = await work(lease);
    } catch (error) {
      await settle(stateAfter(lease, options.lock.signal), failureOf(error));
      throw error;
    }
    const isLost = isLockError(lease.signal.reason, 'LOCK_LOST');
    return { held: true, state: 'ran', value, job: await settle(isLost ? 'lost' : 'done') };
  }

  /** The result of the call without a run. `undefined`: it may run. */
  async #told(record: JobRecord | undefined): Promise<Told | undefined> {
    const { slot, options } = this.#wanted;
    const at = retryAt(record, slot, options.policy) ?? 0;
    // The end of a run is by the clock of the store.
    const now = at === 0 ? 0 : await storeTime(this.#host);
    const state = verdictOf(record, slot, options.policy, now);
    if (state === 'open') return undefined;
    return { result: { held: false, state, ...this.#shown(record) }, retryIn: at === 0 ? undefined : at - now };
  }

  #shown(record: JobRecord | undefined): { readonly job?: JobRun } {
    const { clock } = this.#host.runtime;
    return record === undefined ? {} : { job: runOf(this.#wanted.key, record, clock.origin + clock.now()) };
  }

  /** Records the end of a run, which has happened even if that fails. */
  async #record(own: string, record: JobRecord): Promise<void> {
    const recording = this.#tryRecord(own, record);
    this.#recording.add(recording);
    await recording;
    this.#recording.delete(recording);
  }

  async #tryRecord(own: string, record: JobRecord): Promise<void> {
    const { key, options } = this.#wanted;
    let cause: unknown;
    try {
      if ((await this.#store.write(key, own, record, options.lock.ttl)) !== undefined) return;
    } catch (error) {
      cause = error;
    }
    const why = cause instanceof Error ? cause.message : 'Its record was changed in the meantime.';
    const message = `The result of a run of once(${JSON.stringify(key)}) (${record.state}) was not recorded. ${why}`;
    process.emitWarning(message, { code: 'LOCKS_JOB_UNRECORDED' });
  }

  #publish(ran: boolean, state: JobState | 'passed', job: JobRun | undefined): void {
    if (!channels.job.hasSubscribers) return;
    const message = { provider: this.#host.provider.name, key: this.#wanted.key, ran, state };
    channels.job.publish(job === undefined ? message : { ...message, job });
  }

  #tooEarly(slot: number, now: number): LockError {
    const message = `once: the slot ${new Date(slot).toISOString()} is ${Math.round(slot - now)} ms ahead of the clock of ${this.#host.provider.name}. Correct the clock of this process, or pass the time of the current run.`;
    return new LockError('LOCK_INVALID', message);
  }
}

/** Whether the awaited run is one of an earlier slot. */
function isBefore(slot: number, record: JobRecord | undefined): boolean {
  return record === undefined || record.slot < slot || record.state === 'open';
}
