import type { LockProvider } from '../../contract.ts';
import { LockError, isLockError } from '../../errors/lock-error.ts';
import type { JobRun, JobState } from '../../job-run.ts';
import type { Lease } from '../../lease.ts';
import { channels } from '../../leases/diagnostics/channels.ts';
import type { LockCalls } from '../../leases/lock-calls.ts';
import type { Work } from '../../leases/hold/with-lock.ts';
import { checkKey } from '../../options/key.ts';
import type { JobRecord } from './job-record.ts';
import { lockOfId } from './job-lock.ts';
import { EdgeWarnings } from './edge-warnings.ts';
import { JobStore, idOf, keyOfId } from './job-store.ts';
import type { ReadJob } from './job-store.ts';
import { readOnceOptions } from './options.ts';
import type { OnceOptions, ReadOnceOptions } from './options.ts';
import { pauseWhileOpen } from './pause-while-open.ts';
import type { OpenHost } from './pause-while-open.ts';
import { runOf } from './run-of.ts';
import { nearestSlot, readSlot } from './slots.ts';
import type { ReadSlot } from './slots.ts';
import { begun, crashed, retryAt, verdictOf } from './verdict.ts';

/** What became of a call of `once`. */
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
       * `running`: elsewhere, in this slot or an earlier one. `done`, `failed`: a run of this slot
       * ended so. `passed`: a later slot has begun.
       */
      readonly state: 'running' | 'done' | 'failed' | 'passed';
      /** The last run of the job, where there is one. */
      readonly job?: JobRun;
    };

/** What jobs need from their `Locks`. */
export interface JobsHost extends OpenHost {
  readonly provider: LockProvider;
  readonly locks: LockCalls;
}

/** What a call answers without a run. */
interface Told {
  readonly result: Extract<OnceResult<never>, { readonly held: false }>;
  /** When its slot may be run again, in ms from now. `undefined`: it may not. */
  readonly retryIn: number | undefined;
}

/** One call of `once`, read. */
interface Call {
  readonly key: string;
  readonly slot: number;
  /** By the caller, whose clock may be wrong. */
  readonly named: boolean;
  readonly next: number | undefined;
  readonly options: ReadOnceOptions;
}

/**
 * A slot that is further ahead of the store's clock was named by a wrong clock. Schedulers fire up
 * to some ms early. With more, a wrong clock takes rounds of others. With less, clocks must agree
 * better.
 */
const mostAhead = 5_000;
/** Between two looks at what a call that was not told to wait waits for, in ms. */
const look = 1_000;
/**
 * A dead process keeps its position in a queue for so long by default, and the lock for its ttl.
 */
const waiterTtl = 6_000;

/**
 * Runs jobs once in each slot. The lock of a job says that a process is at work. The
 * compare-and-set of its record to "running" is the permission to run: that a slot runs at most
 * once depends on no ttl and on no clock.
 */
export class Jobs {
  readonly #host: JobsHost;
  readonly #store: JobStore;
  /** Ends of runs that are being recorded. */
  readonly #recording = new Set<Promise<void>>();
  readonly #warnings = new EdgeWarnings();

  constructor(host: JobsHost) {
    this.#host = host;
    this.#store = new JobStore(host.provider, host.runtime);
  }

  /** See `Locks.once`. */
  async once<T>(key: string, given: unknown, options: OnceOptions, work: Work<T>): Promise<OnceResult<T>> {
    checkKey(key);
    const read = readOnceOptions(options);
    const slot = await this.#slotOf(key, readSlot(given));
    const call = { key, options: read, ...slot, next: nextOf(slot.slot, read.next) ?? slot.next };
    const result = await this.#run(call, work);
    if (!result.held) this.#publish(key, false, result.state, result.job);
    return result;
  }

  /** See `Locks.job`. */
  async job(key: string): Promise<JobRun | undefined> {
    checkKey(key);
    const { record } = await this.#look(key, idOf(key));
    return record === undefined ? undefined : runOf(key, record, await this.#now());
  }

  /** See `Locks.jobs`. */
  async *jobs(): AsyncIterable<JobRun> {
    for await (const id of this.#store.ids()) {
      const key = keyOfId(id);
      const { record } = await this.#look(key, id);
      if (record !== undefined) yield runOf(key, record, await this.#now());
    }
  }

  /** See `Locks.retryJob`. */
  async retry(key: string): Promise<boolean> {
    checkKey(key);
    const { raw, record } = await this.#look(key, idOf(key));
    if (record === undefined || record.state === 'running' || record.state === 'open') return false;
    return (await this.#store.write(key, raw, { ...record, state: 'open' }, 0)) !== undefined;
  }

  /** See `Locks.forgetJob`. */
  async forget(key: string): Promise<boolean> {
    checkKey(key);
    const { raw, record } = await this.#look(key, idOf(key));
    return record?.state !== 'running' && (await this.#store.remove(key, raw));
  }

  /** Resolves when the ends of runs that have ended are recorded, or cannot be. */
  async recorded(): Promise<void> {
    await Promise.all(this.#recording);
  }

  /** A run that ended without a word is shown as crashed. */
  async #look(key: string, id: string): Promise<ReadJob> {
    for (;;) {
      const read = await this.#store.read(key, id);
      const { raw, record } = read;
      if (record?.state !== 'running') return read;
      const { holders } = await this.#host.provider.inspect(lockOfId(id));
      if (holders.some(({ owner }) => owner.endsWith(`/${record.run}`))) return read;
      // It may have ended between the two answers.
      if ((await this.#store.read(key, id)).raw === raw) return { raw, record: crashed(record) };
    }
  }

  async #run<T>(call: Call, work: Work<T>): Promise<OnceResult<T>> {
    const { key, options } = call;
    const { locks, runtime } = this.#host;
    const { wait } = options;
    const end = runtime.clock.now() + (wait ?? options.lock.ttl + (options.lock.lockDelay ?? 0) + waiterTtl);
    for (let tried = false; ;) {
      const seen = await this.#store.read(key);
      const told = await this.#told(call, seen.record);
      const left = Math.max(0, Math.ceil(end - runtime.clock.now()));
      if (told !== undefined && told.result.state !== 'running') {
        const { result, retryIn = Infinity } = told;
        if (wait === undefined || retryIn > left) return result;
        await pauseWhileOpen(this.#host, retryIn, options.lock.signal);
        tried = false;
        continue;
      }
      if (tried && ((wait === undefined && isOf(call, seen.record)) || left === 0)) {
        return { held: false, state: 'running', ...this.#shown(key, seen.record) };
      }
      const patience = wait ?? (tried ? Math.min(left, look) : 0);
      const lock = { ...options.lock, wait: Math.min(left, patience), reentrant: false };
      const known = lock.wait === 0 ? seen : undefined;
      const result = await locks.tryWithLock(lockOfId(idOf(key)), lock, (lease) =>
        this.#runUnder(call, lease, known, work),
      );
      tried = true;
      if (result.held && result.value !== undefined) return result.value;
    }
  }

  /**
   * Under the lock. `undefined`: the record changed meanwhile, so the call begins anew. `known`: it
   * was read directly before the lock.
   */
  async #runUnder<T>(
    call: Call,
    lease: Lease,
    known: ReadJob | undefined,
    work: Work<T>,
  ): Promise<OnceResult<T> | undefined> {
    const { key, slot, named, next, options } = call;
    const { raw, record: was } = known ?? (await this.#store.read(key));
    const isDead = was?.state === 'running';
    // The lock is held here, so that run is no more.
    const record = isDead ? crashed(was) : was;
    const told = await this.#told(call, record);
    if (told !== undefined) {
      if (isDead && record?.slot === slot) await this.#store.write(key, raw, record, 0);
      // It may have to wait without the lock.
      return told.retryIn === undefined ? told.result : undefined;
    }
    const began = await this.#now();
    if (named && slot > began + mostAhead) throw this.#tooEarly(slot, began);
    await this.#store.enlist(key);
    const { by, run } = partsOf(lease.owner);
    const mine = begun(record, { slot, run, by, began, next });
    const own = await this.#store.write(key, raw, mine, lease.remaining / 2);
    if (own === undefined) return undefined;
    const sentAt = this.#host.runtime.clock.now();
    const settle = async (state: JobState, more: Partial<JobRecord> = {}): Promise<JobRun> => {
      const ended = Math.round(began + this.#host.runtime.clock.now() - sentAt);
      const after = { ...mine, ...outcomeOf(mine, state), state, ended, ...more };
      const recording = this.#record(key, own, after, options.lock.ttl);
      this.#recording.add(recording);
      await recording;
      this.#recording.delete(recording);
      const shown = runOf(key, after, ended);
      this.#publish(key, true, state, shown);
      return shown;
    };
    let value: T;
    try {
      lease.signal.throwIfAborted();
      value = await work(lease);
    } catch (error) {
      await settle(stateAfter(lease, options.lock.signal), failureOf(error));
      throw error;
    }
    const isLost = isLockError(lease.signal.reason, 'LOCK_LOST');
    return { held: true, state: 'ran', value, job: await settle(isLost ? 'lost' : 'done') };
  }

  /** What a call answers without a run. `undefined`: it may run. */
  async #told({ key, slot, options: { policy } }: Call, record: JobRecord | undefined): Promise<Told | undefined> {
    const at = retryAt(record, slot, policy) ?? 0;
    // The end of a run is by the clock of the store.
    const now = at === 0 ? 0 : await this.#now();
    const state = verdictOf(record, slot, policy, now);
    if (state === 'open') return undefined;
    return { result: { held: false, state, ...this.#shown(key, record) }, retryIn: at === 0 ? undefined : at - now };
  }

  #shown(key: string, record: JobRecord | undefined): { readonly job?: JobRun } {
    const { clock } = this.#host.runtime;
    return record === undefined ? {} : { job: runOf(key, record, clock.origin + clock.now()) };
  }

  /** The result of a run, which has happened whether or not it can be recorded. */
  async #record(key: string, own: string, record: JobRecord, patience: number): Promise<void> {
    let cause: unknown;
    try {
      if ((await this.#store.write(key, own, record, patience)) !== undefined) return;
    } catch (error) {
      cause = error;
    }
    const why = cause instanceof Error ? cause.message : 'Its record was changed meanwhile.';
    const message = `The end of a run of once(${JSON.stringify(key)}) (${record.state}) was not recorded. ${why}`;
    process.emitWarning(message, { code: 'LOCKS_JOB_UNRECORDED' });
  }

  #publish(key: string, ran: boolean, state: JobState | 'passed', job: JobRun | undefined): void {
    if (!channels.job.hasSubscribers) return;
    const message = { provider: this.#host.provider.name, key, ran, state };
    channels.job.publish(job === undefined ? message : { ...message, job });
  }

  async #slotOf(key: string, slot: ReadSlot): Promise<Pick<Call, 'slot' | 'named' | 'next'>> {
    if (typeof slot === 'number') return { slot, named: true, next: undefined };
    const now = await this.#now();
    const found = nearestSlot(slot, now);
    this.#warnings.check(key, found, now);
    return { slot: found.slot, named: false, next: found.slot + slot.every };
  }

  #tooEarly(slot: number, now: number): LockError {
    const message = `once: the slot ${new Date(slot).toISOString()} is ${Math.round(slot - now)} ms ahead of the clock of ${this.#host.provider.name}. Set the clock of this process, or give the time of the present round.`;
    return new LockError('LOCK_INVALID', message);
  }

  /** Ms since 1970 by the clock of the store, or of this process where it has none. */
  async #now(): Promise<number> {
    const { provider, runtime } = this.#host;
    if (provider.time === undefined) return Math.round(runtime.clock.origin + runtime.clock.now());
    let cause: unknown;
    try {
      const now: unknown = await provider.time();
      if (typeof now === 'number' && now > 0 && now <= Number.MAX_SAFE_INTEGER) return Math.round(now);
      cause = new Error(`it answered ${String(now)}`);
    } catch (error) {
      if (isLockError(error)) throw error;
      cause = error;
    }
    throw new LockError('LOCK_UNAVAILABLE', `${provider.name} did not answer what time it is.`, { cause });
  }
}

function isOf({ slot }: Call, record: JobRecord | undefined): boolean {
  return record?.slot === slot;
}

function partsOf(owner: string): { readonly by: string; readonly run: string } {
  const end = owner.lastIndexOf('/');
  return { by: owner.slice(0, end), run: owner.slice(end + 1) };
}

function nextOf(slot: number, next: Date | number | undefined): number | undefined {
  return typeof next === 'number' ? slot + next : next?.getTime();
}

/** What the end of a run changes, apart from its state. A run that was stopped is no try. */
function outcomeOf({ slot, tries, failures }: JobRecord, state: JobState): Partial<JobRecord> {
  if (state === 'done') return { lastDone: slot, failures: 0 };
  return { tries: state === 'stopped' ? tries - 1 : tries, failures: failures + 1 };
}

function stateAfter(lease: Lease, signal: AbortSignal | undefined): JobState {
  if (signal?.aborted === true) return 'stopped';
  const { reason } = lease.signal as { reason: unknown };
  return isLockError(reason, 'LOCK_CLOSED') ? 'stopped' : isLockError(reason, 'LOCK_LOST') ? 'lost' : 'failed';
}

function failureOf(error: unknown): Partial<JobRecord> {
  const { exitCode, message } = (typeof error === 'object' && error !== null ? error : {}) as Partial<
    Record<'exitCode' | 'message', unknown>
  >;
  const text = typeof message === 'string' ? message : String(error);
  return { error: text, ...(Number.isInteger(exitCode) ? { exitCode: exitCode as number } : {}) };
}
