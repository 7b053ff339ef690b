import type { LockProvider } from '../../contract.ts';
import { LockError, isLockError } from '../../errors/lock-error.ts';
import type { LockCalls, TryResult } from '../../leases/lock-calls.ts';
import type { Work } from '../../leases/hold/with-lock.ts';
import type { AcquireOptions } from '../../options/acquire-options.ts';
import { checkKey, shortKey } from '../../options/key.ts';
import type { Clock } from '../../time/clock.ts';
import { readOnceOptions, readSlot } from './options.ts';
import type { EverySlot, OnceOptions, Slots } from './options.ts';

/** In ms: see `#runIn`. */
const again = 1_000;

/** In ms: processes that are called at one time are not further apart. */
const longestEdge = 2_000;

/** What `once` needs from its `Locks`. */
export interface OnceHost {
  readonly provider: LockProvider;
  readonly clock: Clock;
  readonly locks: LockCalls;
}

/** A slot of `every` ms. */
interface Slot {
  readonly name: string;
  /** Ms until it ends. */
  readonly left: number;
}

/** The calls of `once` of one `Locks`. */
export class OncePerSlot {
  readonly #host: OnceHost;
  /** The provider is known to have one store: see `#isTaken`. */
  #hasOneStore = false;
  #warned = false;

  constructor(host: OnceHost) {
    this.#host = host;
  }

  /**
   * Runs `work` in one slot, unless a call of any process has taken that. The key of the slot rests
   * until the slot is over, or for as long as it is kept.
   */
  async run<T>(key: string, given: string | EverySlot, options: OnceOptions, work: Work<T>): Promise<TryResult<T>> {
    checkKey(key);
    const { provider, clock } = this.#host;
    const slot = readSlot(given);
    const { keep, ...own } = readOnceOptions(options, typeof slot === 'string');
    mustKeep(provider);
    const call = { ...own, reentrant: false } as const;
    if (typeof slot === 'string') return await this.#runIn(keyOf(key, slot), { ...call, atLeast: keep }, again, work);
    const sentAt = clock.exact();
    const { name, left } = slotAt(slot, await timeOf(provider));
    this.#warnAtEdge(key, slot, left);
    const run = async (lease: Parameters<Work<T>>[0]): Promise<TryResult<T>> => {
      // The rest of an earlier run may be over as well, so nothing tells whether there was one.
      if (clock.exact() - sentAt >= left) return { held: false };
      return { held: true, value: await work(lease) };
    };
    const within = Math.min(again, Math.ceil(left));
    const result = await this.#runIn(keyOf(key, name), { ...call, atLeast: Math.ceil(left) }, within, run);
    return result.held ? result.value : result;
  }

  /** Calls a moment before and after the edge of a slot are in two slots, and both run. */
  #warnAtEdge(key: string, { every }: Slots, left: number): void {
    if (this.#warned || Math.min(left, every - left) >= Math.min(every / 50, longestEdge)) return;
    this.#warned = true;
    const message = `A call of once(${JSON.stringify(key)}) came at the edge of its slot of ${every} ms.`;
    const detail =
      'So calls of other processes may run beside it. Set "at" to the time of the calls after each "every".';
    process.emitWarning(message, { code: 'LOCKS_ONCE_EDGE', detail });
  }

  /**
   * Where several processes ask at once, each may get a part of the members of a quorum, and none
   * the lock. Then they ask again in the queue, for `within` ms.
   */
  async #runIn<T>(key: string, options: AcquireOptions, within: number, work: Work<T>): Promise<TryResult<T>> {
    const { locks } = this.#host;
    const result = await locks.tryWithLock(key, { ...options, wait: 0 }, work);
    if (result.held || (await this.#isTaken(key))) return result;
    return await locks.tryWithLock(key, { ...options, wait: within }, work);
  }

  /**
   * Whether another call has the slot of `key`, after a busy answer. In one store the answer itself
   * says so. Only states of several stores have `members`, so the first state tells which it is.
   */
  async #isTaken(key: string): Promise<boolean> {
    if (this.#hasOneStore) return true;
    try {
      const { holders, members } = await this.#host.provider.inspect(key);
      this.#hasOneStore = members === undefined;
      return this.#hasOneStore || holders.length > 0;
    } catch {
      // Where the store does not say, the slot counts as taken: one run at most.
      return true;
    }
  }
}

/** The slot in which the time `now` is, in ms since 1970. */
function slotAt({ every, at }: Slots, now: number): Slot {
  const middle = Math.floor((now - at) / every + 1 / 2) * every + at;
  return { name: `${every}/${middle}`, left: middle + every / 2 - now };
}

/** The name of the lock of a slot. No other key and slot give the same. */
function keyOf(key: string, slot: string): string {
  const text = `${Buffer.byteLength(key)}:${key}/${slot}`;
  return shortKey(`once/${text}`, 'once#', text);
}

async function timeOf(provider: LockProvider): Promise<number> {
  const { name } = provider;
  if (provider.time === undefined) {
    const message = `once with "every" needs the clock of the store, and the ${name} provider has no method "time". Give the slot a name.`;
    throw new LockError('LOCK_MISCONFIGURED', message);
  }
  let cause: unknown;
  try {
    const now: unknown = await provider.time();
    if (typeof now === 'number' && now > 0 && now <= Number.MAX_SAFE_INTEGER) return now;
    cause = new Error(`it answered ${String(now)}`);
  } catch (error) {
    if (isLockError(error)) throw error;
    cause = error;
  }
  throw new LockError('LOCK_UNAVAILABLE', `${name} did not tell its time, so the slot is unknown.`, { cause });
}

/** Throws `LOCK_MISCONFIGURED` where a slot would not end for a process that comes and goes. */
function mustKeep({ name, traits }: LockProvider): void {
  if (traits.expiry === 'ttl') return;
  const { expiry } = traits;
  const why =
    expiry === 'session' ? 'it forgets a slot with the process that ran' : 'a process that tries once sees no slot end';
  const message = `once needs a provider with expiry: "ttl", and ${name} has expiry: "${expiry}": ${why}. Choose another provider.`;
  throw new LockError('LOCK_MISCONFIGURED', message);
}
