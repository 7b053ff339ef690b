import { LockError, isLockError } from '../errors/lock-error.ts';
import { timeoutError } from '../errors/messages.ts';
import type { Lease } from '../lease.ts';
import type { TryResult } from '../leases/lock-calls.ts';
import { printAs } from '../leases/hold/printed.ts';
import type { PublicLease } from '../leases/hold/public-lease.ts';
import { readWork } from '../leases/hold/with-lock.ts';
import type { Work } from '../leases/hold/with-lock.ts';
import type { LockState } from '../lock-state.ts';
import { readOption } from '../options/acquire-options.ts';
import type { AcquireOptions } from '../options/acquire-options.ts';
import type { Clock } from '../time/clock.ts';
import type { JointCalls } from './joint-calls.ts';
import { KeyLock, checkJointOptions } from './key-lock.ts';
import { LockObject } from './lock-object.ts';
import type { KeyLockable, MultiLockable, ObjectOptions } from './lockable.ts';
import { LeaseOfAll } from './multi-lease.ts';
import type { MultiLease } from './multi-lease.ts';

/** The default waits of a whole call. */
export interface DefaultWaits {
  readonly wait: number;
  readonly tryWait: number;
}

interface Call {
  readonly options: ObjectOptions;
  /** When its `wait` ends, by the clock. */
  readonly end: number;
  /** Its caller wants `null` for "not free". */
  readonly orNull: boolean;
  /**
   * Takes the next part, within what is left of `wait`. The waiting ends when a key held already is
   * lost.
   */
  next<T>(leases: readonly Lease[], take: (options: ObjectOptions) => Promise<T>): Promise<T>;
}

/**
 * Several keys, all of them or none. It asks for all of them simultaneously, without a position. If
 * one is not free, it releases the others and takes the keys one by one, in an order that is the
 * same in every process. So two of them never wait for each other.
 */
export class MultiLock implements MultiLockable {
  static {
    printAs('MultiLock', MultiLock.prototype);
  }

  readonly keys: readonly string[];
  readonly #locks: JointCalls;
  readonly #clock: Clock;
  readonly #waits: DefaultWaits;
  readonly #parts: readonly KeyLockable[];
  /** They can be asked for simultaneously. */
  readonly #exclusive: boolean;

  constructor(locks: JointCalls, clock: Clock, waits: DefaultWaits, given: readonly (string | KeyLockable)[]) {
    this.#locks = locks;
    this.#clock = clock;
    this.#waits = waits;
    this.#parts = inOrder(locks, given);
    this.#exclusive = this.#parts.every(isExclusive);
    this.keys = this.#parts.map(({ key }) => key);
  }

  async withLock<T>(first: unknown, second?: unknown): Promise<T> {
    const [work, options] = readWork<T, MultiLease>('withLock', first, second);
    const call = this.#call(options, this.#waits.wait, false);
    const result = await this.#run(work, call, (part, own, inside) => part.withLock(own, inside));
    return (result as Extract<TryResult<T>, { held: true }>).value;
  }

  async tryWithLock<T>(first: unknown, second?: unknown): Promise<TryResult<T>> {
    const [work, options] = readWork<T, MultiLease>('tryWithLock', first, second);
    const call = this.#call(options, this.#waits.tryWait, true);
    return await this.#run(work, call, (part, own, inside) => part.tryWithLock(own, inside));
  }

  async acquire(options?: ObjectOptions): Promise<MultiLease> {
    const call = this.#call(options, this.#waits.wait, false);
    return (await this.#take(call, (part, own) => part.acquire(own))) as MultiLease;
  }

  async tryAcquire(options?: ObjectOptions): Promise<MultiLease | null> {
    const call = this.#call(options, this.#waits.tryWait, true);
    return await this.#take(call, (part, own) => part.tryAcquire(own));
  }

  async inspect(): Promise<readonly LockState[]> {
    return await Promise.all(this.#parts.map((part) => part.inspect()));
  }

  async isLocked(): Promise<boolean> {
    const locked = await Promise.all(this.#parts.map((part) => part.isLocked()));
    return locked.includes(true);
  }

  toJSON(): Pick<MultiLease, 'keys'> {
    return { keys: this.keys };
  }

  /**
   * Each part is entered inside of the previous one, which records that this context holds its key.
   */
  async #run<T>(
    work: Work<T, MultiLease>,
    call: Call,
    enter: (part: KeyLockable, options: ObjectOptions, inside: Work<void>) => Promise<unknown>,
  ): Promise<TryResult<T>> {
    const taken = await this.#takeFree(call);
    if (taken === null) return { held: false };
    let outcome = undefined as Promise<T> | undefined;
    const take = async (leases: readonly Lease[]): Promise<void> => {
      const inside = async (lease: Lease): Promise<void> => {
        const all = [...leases, lease];
        if (all.length < this.#parts.length) return await take(all);
        const held = new LeaseOfAll(all as [Lease, ...Lease[]]);
        outcome = this.#locks.hold(held, { noted: false }, () => work(held));
        // It reports the loss of any key. The calls for single keys have nothing to add.
        await outcome.catch(() => {});
      };
      const lease = taken[leases.length];
      if (lease !== undefined) await this.#locks.hold(lease, call.options, inside);
      else await call.next(leases, (own) => enter(this.#parts[leases.length] as KeyLockable, own, inside));
    };
    try {
      await take([]);
    } catch (error) {
      if (outcome === undefined) throw error;
    }
    return outcome === undefined ? { held: false } : { held: true, value: await outcome };
  }

  async #take(
    call: Call,
    take: (part: KeyLockable, options: ObjectOptions) => Promise<Lease | null>,
  ): Promise<MultiLease | null> {
    const taken = await this.#takeFree(call);
    if (taken === null) return null;
    const leases: Lease[] = [...taken];
    try {
      for (const part of this.#parts.slice(leases.length)) {
        const lease = await call.next(leases, (own) => take(part, own));
        if (lease === null) break;
        leases.push(lease);
      }
    } catch (error) {
      await giveBack(leases);
      throw error;
    }
    if (leases.length === this.#parts.length) return new LeaseOfAll(leases as [Lease, ...Lease[]]);
    await giveBack(leases);
    return null;
  }

  /**
   * The leases of all keys, if all are free. None: take them one by one. `null`: one is not free,
   * and the call does not wait for it.
   */
  async #takeFree({ options, end, orNull }: Call): Promise<readonly PublicLease[] | null> {
    const asked = this.#exclusive ? this.#locks.tryEach(this.keys, options) : undefined;
    if (asked === undefined) return [];
    const outcomes = await Promise.allSettled(asked);
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const leases = answers.filter((lease) => lease !== null);
    if (leases.length === asked.length) return leases;
    await giveBack(leases);
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    const certain = failures.find(({ reason }) => !isLockError(reason, 'LOCK_UNAVAILABLE'));
    if (certain !== undefined) throw certain.reason;
    if (this.#clock.now() < end) return [];
    if (answers.length === leases.length) throw failures[0]?.reason;
    return orNull ? null : [];
  }

  #call(given: AcquireOptions | undefined, usual: number, orNull: boolean): Call {
    checkJointOptions(given);
    const wait = readOption('wait', given?.wait) ?? usual;
    const end = this.#clock.now() + wait;
    const options = { ...given, wait };
    const next: Call['next'] = async (leases, take) => {
      const signals = leases.map(({ signal }) => signal);
      if (options.signal !== undefined) signals.push(options.signal);
      const signal = signals.length === 0 ? {} : { signal: AbortSignal.any(signals) };
      const left = Math.min(wait, Math.max(0, Math.ceil(end - this.#clock.now())));
      try {
        return await take({ ...options, ...signal, wait: left });
      } catch (error) {
        throw isLockError(error, 'LOCK_TIMEOUT') ? ofWholeWait(error, wait) : error;
      }
    };
    return { options, end, orNull, next };
  }
}

/** `error` of a call for one key with the remaining wait, as of the whole call. */
function ofWholeWait({ key, holders, message }: LockError, wait: number): LockError {
  return key === undefined || holders === undefined
    ? new LockError('LOCK_TIMEOUT', message, { key, wait })
    : timeoutError(key, wait, holders);
}

function isExclusive(part: KeyLockable): boolean {
  return part instanceof KeyLock && part.mode === 'exclusive';
}

/** `given` as objects of `locks`, once each, in the order of the UTF-16 units of their keys. */
function inOrder(locks: JointCalls, given: unknown): readonly KeyLockable[] {
  if (!Array.isArray(given) || given.length === 0) {
    throw new LockError('LOCK_INVALID', 'multiLock needs an array of at least one key: multiLock(["a", "b"]).');
  }
  const parts = new Map<string, KeyLockable>();
  for (const each of given as readonly unknown[]) {
    const part = partOf(locks, each);
    const known = parts.get(part.key);
    if (known !== undefined && !(isExclusive(known) && isExclusive(part))) {
      const message = `multiLock contains ${JSON.stringify(part.key)} twice, and not both times as a mutex. Remove one of them.`;
      throw new LockError('LOCK_INVALID', message, { key: part.key });
    }
    parts.set(part.key, part);
  }
  const keys = [...parts.keys()];
  keys.sort();
  return keys.map((key) => parts.get(key) as KeyLockable);
}

function partOf(locks: JointCalls, given: unknown): KeyLockable {
  if (typeof given !== 'object' || given === null) return new KeyLock(locks, given as string, { mode: 'exclusive' });
  if (LockObject.isOf(given, locks)) return given as LockObject & KeyLockable;
  const what = 'keys, mutexes, sides of read/write locks, semaphores or permits of the same client';
  throw new LockError('LOCK_INVALID', `multiLock needs an array of ${what}.`);
}

async function giveBack(leases: readonly Lease[]): Promise<void> {
  await Promise.allSettled(leases.map((lease) => lease.release()));
}
