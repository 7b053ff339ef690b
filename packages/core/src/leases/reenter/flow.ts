import { AsyncLocalStorage, executionAsyncId } from 'node:async_hooks';
import type { Mode } from '../../contract.ts';
import type { Settings } from '../../options/acquire-options.ts';
import { PublicLease } from '../hold/public-lease.ts';
import { ReentrantLease } from './reentrant-lease.ts';

/** A lease under which an asynchronous context runs, nested in others. */
export interface Frame {
  /** Of the client that granted it. */
  readonly flow: Flow;
  readonly lease: PublicLease;
  /** With the holds on it. `undefined`: the lease is not reentrant. */
  readonly reentrant: ReentrantLease | undefined;
  /** Its shares of the key. */
  readonly shares: number;
  readonly outer: Frame | undefined;
  /** The work under it has ended. A context may outlive its work. */
  over: boolean;
}

export interface Noted extends Pick<Settings, 'reentrant' | 'waitForSelf'> {
  /** Of its key. @default 1 */
  readonly shares?: number;
  /**
   * Whether it is recorded at all, which may slow down all promises of the process.
   * @default where it does not
   */
  readonly noted?: boolean;
}

/**
 * Before Node 24 an `AsyncLocalStorage` runs a hook for each promise of the process, which doubles
 * the cost of an in-memory `withLock`.
 */
const slowsPromises = '_enable' in AsyncLocalStorage.prototype;

/** Another number when a `Frame` changes: copies of other versions read it. */
const name = Symbol.for('@locks/core/context/1');
const shared = globalThis as { [name]?: AsyncLocalStorage<Frame> };
shared[name] ??= new AsyncLocalStorage();

/**
 * For all clients of the process, of every copy of this package: a claim may wait for a lease of
 * another copy. Before Node 24 each further one slows down all promises.
 */
const storage = shared[name];

type Wish = Pick<Settings, 'mode' | 'permits'>;

/**
 * What the current asynchronous context holds. Only `withLock` and `tryWithLock` enter it.
 * `acquire` would have to enter its caller's context, and would leak into everything that runs
 * after it.
 */
export class Flow {
  /** The provider of its client. Several clients of one provider wait for each other. */
  readonly store: object;
  readonly #notes: boolean | undefined;

  /** `notes`: whether it records leases that are not reentrant. @default where that costs little */
  constructor(store: object, notes: boolean | undefined) {
    this.store = store;
    this.#notes = slowsPromises ? notes : (notes ?? true);
  }

  /** Leases are recorded only where that costs little, so an own wait may be missed. */
  get misses(): boolean {
    return this.#notes === undefined;
  }

  /** What it holds now of the provider of this client, innermost first. */
  get current(): Frame | undefined {
    let frame = storage.getStore();
    while (frame !== undefined && frame.flow.store !== this.store) frame = frame.outer;
    return frame;
  }

  /** The owners of the leases under which it works now. */
  get owners(): ReadonlySet<string> {
    const owners = new Set<string>();
    for (let frame = this.current; frame !== undefined; frame = frame.outer) {
      if (frame.over || frame.flow !== this) continue;
      for (const owner of PublicLease.underWork(frame.lease).owners ?? [frame.lease.owner]) owners.add(owner);
    }
    return owners;
  }

  /** Whether work under a lease with these settings has to `run` here. Call it after an `await`. */
  notes({ reentrant, waitForSelf, noted }: Noted): boolean {
    // Callbacks of promises have a number only where the hook runs for all promises.
    return noted ?? (reentrant || (!waitForSelf && (this.#notes ?? executionAsyncId() !== 0)));
  }

  /**
   * Another hold on `key`. `undefined`: this context has no reentrant lease on it, so take the lock
   * as usual.
   */
  join(key: string, mode: Mode): PublicLease | undefined {
    for (let frame = this.current; frame !== undefined; frame = frame.outer) {
      const { reentrant } = frame;
      if (reentrant?.open === true && frame.flow === this && frame.lease.key === key) return reentrant.join(mode);
    }
    return undefined;
  }

  /** Runs `work` under `lease`, in a context that records it. */
  async run<T>(
    lease: PublicLease,
    { reentrant, shares = 1 }: Noted,
    work: (hold: PublicLease) => Promise<T>,
  ): Promise<T> {
    const joinable = reentrant ? new ReentrantLease(lease) : undefined;
    const hold = joinable === undefined ? lease : joinable.join(lease.mode);
    const frame: Frame = {
      flow: this,
      lease,
      reentrant: joinable,
      shares,
      outer: underWay(storage.getStore()),
      over: false,
    };
    try {
      return await storage.run(frame, work, hold);
    } finally {
      frame.over = true;
    }
  }
}

/**
 * `frame`, or the next outer one whose work is in progress. A context that outlives its work, such
 * as that of a timer, must not keep the leases of all works before it.
 */
function underWay(frame: Frame | undefined): Frame | undefined {
  let next = frame;
  while (next !== undefined && next.over && next.reentrant?.open !== true) next = next.outer;
  return next;
}

/**
 * The mode in which the context of `frame` holds `key`, if a claim that waits for `key` waits for
 * that context. It does so for an exclusive lease, if all permits are its own, and for nested
 * readers: a writer in the queue waits for the outer one.
 */
export function ownHold(frame: Frame | undefined, key: string, { mode, permits = 1 }: Wish): Mode | undefined {
  let shares = 0;
  for (const { lease, shares: own } of framesOf(frame, key)) {
    if (mode === 'exclusive' || lease.mode === 'exclusive') return lease.mode;
    shares += own;
  }
  return shares >= permits ? 'shared' : undefined;
}

export function ownShares(frame: Frame | undefined, key: string): number {
  let shares = 0;
  for (const each of framesOf(frame, key)) shares += each.shares;
  return shares;
}

/** What the context of `frame` holds of `key`, of the same provider, innermost first. */
function* framesOf(frame: Frame | undefined, key: string): Iterable<Frame> {
  for (let each = frame; each !== undefined; each = each.outer) {
    if (!each.over && each.flow.store === frame?.flow.store && each.lease.key === key && each.lease.held) yield each;
  }
}
