import { LockError, isLockError } from '../errors/lock-error.ts';
import type { Lease } from '../lease.ts';
import type { TryResult } from '../leases/acquire/try-result.ts';
import { printAs } from '../leases/hold/printed.ts';
import { readWork, runUnder } from '../leases/hold/with-lock.ts';
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

/** How long a whole call may wait, where its options say nothing. */
export interface DefaultWaits {
  readonly wait: number;
  readonly tryWait: number;
}

/** The options of one call, for all keys. */
interface Call {
  readonly options: ObjectOptions;
  /**
   * Takes the next part, with what is left of `wait`. The waiting ends when a key that is held
   * already is lost.
   */
  next<T>(leases: readonly Lease[], take: (options: ObjectOptions) => Promise<T>): Promise<T>;
}

/**
 * Several keys, all of them or none. Where all are free, the provider may take them in one step.
 * Otherwise it takes one after another, in an order that is the same in every process. So two of
 * them never wait for each other.
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
  /** They can be taken in one step. */
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
    const call = this.#call(options, this.#waits.wait);
    const result = await this.#run(work, call, (part, own, inside) => part.withLock(own, inside));
    return (result as Extract<TryResult<T>, { held: true }>).value;
  }

  async tryWithLock<T>(first: unknown, second?: unknown): Promise<TryResult<T>> {
    const [work, options] = readWork<T, MultiLease>('tryWithLock', first, second);
    const call = this.#call(options, this.#waits.tryWait);
    return await this.#run(work, call, (part, own, inside) => part.tryWithLock(own, inside));
  }

  async acquire(options?: ObjectOptions): Promise<MultiLease> {
    const call = this.#call(options, this.#waits.wait);
    return (await this.#take(call, (part, own) => part.acquire(own))) as MultiLease;
  }

  async tryAcquire(options?: ObjectOptions): Promise<MultiLease | null> {
    const call = this.#call(options, this.#waits.tryWait);
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

  /** Each part is entered inside of the one before, which notes that this context has its key. */
  async #run<T>(
    work: Work<T, MultiLease>,
    { options, next }: Call,
    enter: (part: KeyLockable, options: ObjectOptions, inside: Work<void>) => Promise<unknown>,
  ): Promise<TryResult<T>> {
    const joint = this.#takeAll(options);
    const taken = joint && (await joint);
    let outcome = undefined as Promise<T> | undefined;
    const take = async (leases: readonly Lease[]): Promise<void> => {
      const inside = async (lease: Lease): Promise<void> => {
        const all = [...leases, lease];
        if (all.length < this.#parts.length) return await take(all);
        const held = new LeaseOfAll(all as [Lease, ...Lease[]]);
        outcome = runUnder(held, () => work(held));
        // It tells of the loss of any key. The calls for single keys have nothing to add.
        await outcome.catch(() => {});
      };
      const lease = taken?.[leases.length];
      if (lease !== undefined) await this.#locks.hold(lease, options, inside);
      else await next(leases, (own) => enter(this.#parts[leases.length] as KeyLockable, own, inside));
    };
    try {
      await take([]);
    } catch (error) {
      if (outcome === undefined) throw error;
    }
    return outcome === undefined ? { held: false } : { held: true, value: await outcome };
  }

  async #take(
    { options, next }: Call,
    take: (part: KeyLockable, options: ObjectOptions) => Promise<Lease | null>,
  ): Promise<MultiLease | null> {
    const joint = this.#takeAll(options);
    const leases: Lease[] = [...((joint && (await joint)) ?? [])];
    try {
      for (const part of this.#parts.slice(leases.length)) {
        const lease = await next(leases, (own) => take(part, own));
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

  #takeAll(options: AcquireOptions): ReturnType<JointCalls['takeAll']> {
    return this.#exclusive ? this.#locks.takeAll(this.keys, options) : undefined;
  }

  #call(given: AcquireOptions | undefined, usual: number): Call {
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
        throw left < wait && isLockError(error, 'LOCK_TIMEOUT') ? ofWholeWait(error, left, wait) : error;
      }
    };
    return { options, next };
  }
}

/** `error` of a call for one key that could wait for `left` ms, as of the whole call. */
function ofWholeWait(error: LockError, left: number, wait: number): LockError {
  const own = left === 0 ? 'was not free now' : `was not free within ${left} ms`;
  const message = error.message.replace(own, `was not free within ${wait} ms`);
  return new LockError('LOCK_TIMEOUT', message, error.key === undefined ? {} : { key: error.key });
}

function isExclusive(part: KeyLockable): boolean {
  return part instanceof KeyLock && part.mode === 'exclusive';
}

/** `given` as objects of `locks`, once each, in the order of the UTF-16 units of their keys. */
function inOrder(locks: JointCalls, given: unknown): readonly KeyLockable[] {
  if (!Array.isArray(given) || given.length === 0) {
    throw new LockError('LOCK_INVALID', 'multiLock needs an array of one key at least: multiLock(["a", "b"]).');
  }
  const parts = new Map<string, KeyLockable>();
  for (const each of given as readonly unknown[]) {
    const part = partOf(locks, each);
    const known = parts.get(part.key);
    if (known !== undefined && !(isExclusive(known) && isExclusive(part))) {
      const message = `multiLock has ${JSON.stringify(part.key)} twice, and not as a mutex. Leave one of them out.`;
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
  const what = 'keys and of mutexes, sides of read/write locks, semaphores and permits of the same Locks';
  throw new LockError('LOCK_INVALID', `multiLock needs an array of ${what}.`);
}

async function giveBack(leases: readonly Lease[]): Promise<void> {
  await Promise.allSettled(leases.map((lease) => lease.release()));
}
