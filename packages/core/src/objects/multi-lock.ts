import { LockError } from '../errors/lock-error.ts';
import type { Lease } from '../lease.ts';
import type { TryResult } from '../leases/acquire/try-result.ts';
import { printAs } from '../leases/hold/printed.ts';
import { readWork, runUnder } from '../leases/hold/with-lock.ts';
import type { Work } from '../leases/hold/with-lock.ts';
import type { AcquireOptions } from '../options/acquire-options.ts';
import { checkKey } from '../options/key.ts';
import type { Clock } from '../time/clock.ts';
import type { JointCalls } from './joint-calls.ts';
import { checkJointOptions } from './key-lock.ts';
import type { Lockable, ObjectOptions } from './lockable.ts';
import { LeaseOfAll } from './multi-lease.ts';
import type { MultiLease } from './multi-lease.ts';

/** How long a whole call may wait, where its options say nothing. */
export interface DefaultWaits {
  readonly wait: number;
  readonly tryWait: number;
}

/** The options of one call, for all keys. */
interface Call {
  readonly options: AcquireOptions & { readonly wait: number };
  /**
   * The options for the next key: what is left of `wait`, and an end of the waiting when a key that
   * is held already is lost.
   */
  readonly next: (leases: readonly Lease[]) => AcquireOptions;
}

/**
 * Several keys, all of them or none. Where all are free, the provider may take them in one step.
 * Otherwise it takes one after another, in an order that is the same in every process. So two of
 * them never wait for each other.
 */
export class MultiLock implements Lockable<MultiLease> {
  static {
    printAs('MultiLock', MultiLock.prototype);
  }

  readonly #locks: JointCalls;
  readonly #clock: Clock;
  readonly #waits: DefaultWaits;
  readonly #keys: readonly [string, ...string[]];

  constructor(locks: JointCalls, clock: Clock, waits: DefaultWaits, keys: readonly string[]) {
    this.#locks = locks;
    this.#clock = clock;
    this.#waits = waits;
    this.#keys = inOrder(keys);
  }

  async withLock<T>(first: unknown, second?: unknown): Promise<T> {
    const [work, options] = readWork<T, MultiLease>('withLock', first, second);
    const call = this.#call(options, this.#waits.wait);
    const result = await this.#run(work, call, (key, own, inside) => this.#locks.withLock(key, own, inside));
    return (result as Extract<TryResult<T>, { held: true }>).value;
  }

  async tryWithLock<T>(first: unknown, second?: unknown): Promise<TryResult<T>> {
    const [work, options] = readWork<T, MultiLease>('tryWithLock', first, second);
    const call = this.#call(options, this.#waits.tryWait);
    return await this.#run(work, call, (key, own, inside) => this.#locks.tryWithLock(key, own, inside));
  }

  async acquire(options?: ObjectOptions): Promise<MultiLease> {
    const call = this.#call(options, this.#waits.wait);
    return (await this.#take(call, (key, own) => this.#locks.acquire(key, own))) as MultiLease;
  }

  async tryAcquire(options?: ObjectOptions): Promise<MultiLease | null> {
    const call = this.#call(options, this.#waits.tryWait);
    return await this.#take(call, (key, own) => this.#locks.tryAcquire(key, own));
  }

  toJSON(): Pick<MultiLease, 'keys'> {
    return { keys: this.#keys };
  }

  /** Each key is entered inside of the one before, which notes that this context has its key. */
  async #run<T>(
    work: Work<T, MultiLease>,
    { options, next }: Call,
    enter: (key: string, options: AcquireOptions, inside: Work<void>) => Promise<unknown>,
  ): Promise<TryResult<T>> {
    const joint = this.#locks.takeAll(this.#keys, options);
    const taken = joint && (await joint);
    let outcome = undefined as Promise<T> | undefined;
    const take = async (leases: readonly Lease[]): Promise<void> => {
      const inside = async (lease: Lease): Promise<void> => {
        const all = [...leases, lease];
        if (all.length < this.#keys.length) return await take(all);
        const held = new LeaseOfAll(all as [Lease, ...Lease[]]);
        outcome = runUnder(held, () => work(held));
        // It tells of the loss of any key. The calls for single keys have nothing to add.
        await outcome.catch(() => {});
      };
      const lease = taken?.[leases.length];
      if (lease !== undefined) await this.#locks.hold(lease, options, inside);
      else await enter(this.#keys[leases.length] as string, next(leases), inside);
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
    take: (key: string, options: AcquireOptions) => Promise<Lease | null>,
  ): Promise<MultiLease | null> {
    const joint = this.#locks.takeAll(this.#keys, options);
    const leases: Lease[] = [...((joint && (await joint)) ?? [])];
    try {
      for (const key of this.#keys.slice(leases.length)) {
        const lease = await take(key, next(leases));
        if (lease === null) break;
        leases.push(lease);
      }
    } catch (error) {
      await giveBack(leases);
      throw error;
    }
    if (leases.length === this.#keys.length) return new LeaseOfAll(leases as [Lease, ...Lease[]]);
    await giveBack(leases);
    return null;
  }

  #call(given: AcquireOptions | undefined, usual: number): Call {
    checkJointOptions(given);
    const wait = given?.wait ?? usual;
    const end = this.#clock.now() + wait;
    const options = { ...given, mode: 'exclusive', wait } as const;
    const next: Call['next'] = (leases) => {
      const signals = leases.map(({ signal }) => signal);
      if (options.signal !== undefined) signals.push(options.signal);
      const signal = signals.length === 0 ? {} : { signal: AbortSignal.any(signals) };
      const left = Math.min(wait, Math.max(0, Math.ceil(end - this.#clock.now())));
      return { ...options, ...signal, wait: left };
    };
    return { options, next };
  }
}

/** `keys` once each, in the order of their UTF-16 units. */
function inOrder(keys: unknown): readonly [string, ...string[]] {
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new LockError('LOCK_INVALID', 'multiLock needs an array of one key at least: multiLock(["a", "b"]).');
  }
  for (const key of keys) checkKey(key);
  const once = [...new Set(keys as string[])];
  once.sort();
  return once as [string, ...string[]];
}

async function giveBack(leases: readonly Lease[]): Promise<void> {
  await Promise.allSettled(leases.map((lease) => lease.release()));
}
