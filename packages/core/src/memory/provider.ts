import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import { permitsRefused, upgradeRefused } from '../errors/refusals.ts';
import { checkRegister } from '../options/register.ts';
import { readOptions } from '../options/read-options.ts';
import type { Hold } from './holds.ts';
import { memoryReaders } from './options.ts';
import type { MemoryOptions } from './options.ts';
import type { Waiter } from './queue.ts';
import type { KeyRecord } from './record.ts';
import { memorySource } from './store-options.ts';
import { MemoryStorage } from './store.ts';

/**
 * Locks within one process: for tests, demos, and services that run once.
 * @throws `LOCK_MISCONFIGURED` naming the wrong option.
 */
export function createMemoryProvider(options: MemoryOptions = {}): LockProvider {
  const { store, fair = true, ...own } = readOptions(memoryReaders, options, memorySource);
  return new MemoryProvider(store ?? new MemoryStorage(own), fair);
}

const soon = Promise.resolve();

class MemoryProvider implements LockProvider {
  readonly name = 'memory';
  readonly traits: Traits;
  readonly #store: MemoryStorage;
  readonly #fair: boolean;
  #closed = false;

  constructor(store: MemoryStorage, fair: boolean) {
    this.#store = store;
    this.#fair = fair;
    this.traits = {
      scope: 'process',
      expiry: 'ttl',
      fencing: 'clock-bounded',
      fair,
      shared: true,
      resize: true,
      wake: true,
    };
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    return this.#call((now) => this.#attempt(claim, wake, now));
  }

  tryAcquireAll(claims: readonly Claim[]): Promise<readonly Grant[] | false> {
    return this.#call((now) => this.#attemptAll(claims, now));
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    return this.#call((now) => this.#extend(claim, token, now));
  }

  renewAll(claims: readonly Claim[]): Promise<readonly (Renewal | false)[]> {
    return this.#call((now) => claims.map((claim) => this.#extend(claim, undefined, now)));
  }

  release(claim: Claim): Promise<boolean> {
    return this.#call((now) => this.#giveUp(claim, now));
  }

  inspect(key: string): Promise<KeyState> {
    return this.#call((now) => this.#look(key, now));
  }

  time(): Promise<number> {
    return this.#call((now) => this.#store.epoch(now));
  }

  register(name: string, change?: RegisterChange): Promise<string | undefined> {
    return this.#call(() => {
      checkRegister(name, change);
      return this.#store.register(name, change);
    });
  }

  async *list(prefix: string): AsyncIterable<string> {
    this.#checkOpen();
    for (const key of this.#store.keys(prefix)) {
      yield key;
      await this.#store.yieldIfDue(this.#store.now());
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const waiter of this.#store.waitersOf(this)) {
      queueMicrotask(waiter.wake);
      // Its place stays until its deadline, as that of a dead process does.
      waiter.wake = nothing;
    }
  }

  /**
   * A loop of calls, each of which is awaited, would let nothing else of the process run. Not an
   * async function: its objects would cost a tenth of the call.
   */
  #call<T>(work: (now: number) => T): Promise<T> {
    const now = this.#store.now();
    const due = this.#store.yieldIfDue(now);
    try {
      this.#checkOpen();
      const answer = work(now);
      return due === undefined ? Promise.resolve(answer) : due.then(() => answer);
    } catch (error) {
      if (due === undefined) return Promise.reject(error);
      return due.then(() => {
        throw error;
      });
    }
  }

  #attempt(claim: Claim, wake: (() => void) | undefined, now: number): Grant | Busy {
    const record = this.#store.findOrAdd(claim.key);
    record.purge(now);
    const hold = record.holds.get(claim.owner);
    try {
      checkPermits(record, claim);
      const token = hold === undefined ? this.#admit(record, claim, now) : repeat(hold, claim, now);
      if (token !== undefined) return { granted: true, token: BigInt(token) };
      if (wake !== undefined) this.#takePlace(record, claim, wake, now);
      return { granted: false, retryAfter: this.#retryAfter(record, claim.owner, now) };
    } finally {
      this.#after(record, claim.owner, now);
    }
  }

  #attemptAll(claims: readonly Claim[], now: number): readonly Grant[] | false {
    const wishes = claims.map((claim) => ({ claim, record: this.#store.findOrAdd(claim.key) }));
    for (const { record } of wishes) record.purge(now);
    try {
      if (!wishes.every(({ claim, record }) => record.idle || record.holds.get(claim.owner))) return false;
      // Before the first hold: where a key has no next token, none is taken.
      const tokens = wishes.map(({ claim, record }) => {
        const { token } = record.holds.get(claim.owner) ?? { token: this.#store.mint(record, claim, now) };
        return token;
      });
      return wishes.map(({ claim, record }, index) => {
        const token = tokens[index] as number;
        record.holds.delete(claim.owner);
        record.holds.add(holdOf(claim, token, now));
        return { granted: true, token: BigInt(token) };
      });
    } finally {
      for (const { claim } of wishes) {
        // The one before may have made the store forget it, if it is idle.
        const record = this.#store.find(claim.key);
        if (record !== undefined) this.#after(record, claim.owner, now);
      }
    }
  }

  #extend(claim: Claim, token: bigint | undefined, now: number): Renewal | false {
    const record = this.#store.find(claim.key);
    if (record === undefined) return false;
    record.purge(now);
    const hold = record.holds.get(claim.owner);
    const refused = hold === undefined || (token !== undefined && BigInt(hold.token) > token);
    if (!refused) {
      if (now + claim.ttl < hold.expires) this.#wakeLater(record.queue.head);
      hold.expires = now + claim.ttl;
      if (token !== undefined) hold.token = Number(token);
      record.token = Math.max(record.token, hold.token);
    }
    this.#after(record, claim.owner, now);
    return refused ? false : {};
  }

  #giveUp(claim: Claim, now: number): boolean {
    const record = this.#store.find(claim.key);
    if (record === undefined) return false;
    record.purge(now);
    record.queue.remove(claim.owner);
    const freed = record.holds.delete(claim.owner);
    this.#after(record, claim.owner, now);
    return freed;
  }

  #look(key: string, now: number): KeyState {
    const record = this.#store.find(key);
    if (record === undefined) return { key, holders: [], waiters: 0 };
    record.purge(now);
    const holders = record.holds.all().map(({ owner, mode, token, expires }) => ({
      owner,
      mode,
      token: BigInt(token),
      remaining: expires - now,
    }));
    this.#store.tidy(record, now);
    return { key, holders, waiters: record.queue.size };
  }

  /** The token of a new hold. `undefined`: the key is not free for this claim. */
  #admit(record: KeyRecord, claim: Claim, now: number): number | undefined {
    const { head } = record.queue;
    const passes = !this.#fair || head === undefined || head.owner === claim.owner;
    if (!passes || !record.admits(claim)) return undefined;
    record.queue.remove(claim.owner);
    const token = this.#store.mint(record, claim, now);
    record.holds.add(holdOf(claim, token, now));
    return token;
  }

  #takePlace(record: KeyRecord, claim: Claim, wake: () => void, now: number): void {
    const deadline = now + this.#store.waiterTtl;
    const place = record.queue.get(claim.owner);
    if (place !== undefined) {
      place.wake = wake;
      place.provider = this;
      place.deadline = deadline;
      return;
    }
    const { owner, mode, permits, resize } = claim;
    record.queue.add({
      owner,
      mode,
      permits,
      resize,
      wake,
      provider: this,
      deadline,
      previous: undefined,
      next: undefined,
    });
  }

  /** The head attempts again when a hold would expire. The others only refresh their places. */
  #retryAfter(record: KeyRecord, owner: string, now: number): number {
    const refresh = this.#store.waiterTtl / 3;
    const { head } = record.queue;
    const first = head === undefined || head.owner === owner || !this.#fair;
    return first ? Math.min(refresh, Math.max(0, record.earliestExpiry() - now)) : refresh;
  }

  /** Ends every operation. Wakes the head of the line if it can go, and forgets idle keys. */
  #after(record: KeyRecord, owner: string, now: number): void {
    const head = record.admissibleHead(owner);
    this.#wakeLater(head);
    this.#store.tidy(record, now);
  }

  /** Never synchronously: the caller of an operation must not run the waiter's code. */
  #wakeLater(waiter: Waiter | undefined): void {
    // In Node, queueMicrotask costs ten times as much.
    if (waiter !== undefined) void soon.then(() => waiter.wake());
  }

  #checkOpen(): void {
    if (this.#closed) throw new LockError('LOCK_CLOSED', 'The memory provider is closed.');
  }
}

function nothing(): void {}

/** What a claim that is granted at `now` holds. */
function holdOf({ owner, mode, permits, resize, ttl }: Claim, token: number, now: number): Hold {
  return { owner, mode, permits, resize, token, expires: now + ttl };
}

/**
 * A claim that already holds gets the same token and a restarted ttl. A shared repeat of an
 * exclusive claim shares from now on.
 */
function repeat(hold: Hold, claim: Claim, now: number): number {
  if (hold.mode === 'shared' && claim.mode === 'exclusive') throw upgradeRefused(claim);
  hold.mode = claim.mode;
  hold.permits = claim.permits;
  hold.resize = claim.resize;
  hold.expires = now + claim.ttl;
  return hold.token;
}

function checkPermits(record: KeyRecord, claim: Claim): void {
  if (claim.mode === 'exclusive' || claim.resize) return;
  const fixed = record.fixedPermits();
  if (fixed !== undefined && fixed.permits !== claim.permits) throw permitsRefused(claim, fixed.permits);
}
