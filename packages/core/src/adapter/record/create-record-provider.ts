import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '../../contract.ts';
import { isLockError, misconfigured } from '../../errors/lock-error.ts';
import { providerClosed } from '../../errors/messages.ts';
import { refusalOf } from '../../errors/refusals.ts';
import type { KeyRules, Refusal } from '../../key/admission.ts';
import { find } from '../../key/by-owner.ts';
import { acquire, inspect, release, renew } from '../../key/calls.ts';
import { purge } from '../../key/record.ts';
import { describe } from '../../options/key.ts';
import { readOptions } from '../../options/read-options.ts';
import { systemRuntime } from '../../time/runtime.ts';
import { TimerWheel } from '../../time/timer-wheel.ts';
import { createDeadline } from '../deadline.ts';
import type { Deadline, Outcome } from '../deadline.ts';
import { createQueue } from '../queue/create-queue.ts';
import type { Attempt, Attempted, Listen, Queue, Waiting } from '../queue/queue-parts.ts';
import { fastestRate, keepFor } from './entry-ends.ts';
import { keyPrefix } from './key-channel.ts';
import { KeyChannels } from './key-channels.ts';
import type { ChannelParts } from './key-step.ts';
import type { Done, Work } from './pending-call.ts';
import { recordReaders } from './record-store.ts';
import type { RecordOptions, RecordStore } from './record-store.ts';
import { changeRegister } from './register.ts';
import { StoreCalls } from './store-calls.ts';

/**
 * The most claims that hold a key or queue for it. Further ones are busy, outside the queue. More
 * make a text of over 120 KB, which each change writes again.
 */
const mostClaims = 2_000;

/**
 * A claim whose position was not written within this part of the `timeout` is answered busy. With a
 * larger part it may reject as unavailable. With a smaller one, later claims overtake it more
 * often.
 */
const joining = 1 / 2;

/**
 * A provider over a store with a conditional write: fair, shared, fenced, with a queue and wakes.
 * @throws `LOCK_MISCONFIGURED` naming the wrong option, or the function missing in `store`.
 */
export function createRecordProvider(store: RecordStore, options: RecordOptions = {}): LockProvider {
  for (const name of ['read', 'replace'] as const) {
    if (typeof store[name] === 'function') continue;
    throw misconfigured('createRecordProvider', `the store needs a function "${name}", not ${describe(store[name])}`);
  }
  return Object.defineProperty(new RecordProvider(store, options), ownStore, { value: store });
}

/** Also where the provider is of another copy of this module. */
const ownStore = Symbol.for('@locks/core/record-store/1');

/**
 * The store of a `provider` made by `createRecordProvider`, for tests. `undefined`: another
 * provider.
 */
export function recordStoreOf(provider: LockProvider): RecordStore | undefined {
  return (provider as { readonly [ownStore]?: RecordStore })[ownStore];
}

class RecordProvider implements LockProvider {
  readonly name: string;
  readonly traits: Traits;
  readonly list?: NonNullable<LockProvider['list']>;
  readonly time?: NonNullable<LockProvider['time']>;
  readonly #store: RecordStore;
  readonly #parts: ChannelParts;
  readonly #rules: KeyRules;
  readonly #deadline: Deadline;
  readonly #queue: Queue;
  readonly #channels: KeyChannels;
  #hear: Parameters<Listen>[0] | undefined = undefined;
  #closed = false;

  constructor(store: RecordStore, options: RecordOptions) {
    const where = `The ${store.name} provider`;
    const read = readOptions(recordReaders, options, { where, code: 'LOCK_MISCONFIGURED', text: true });
    const { waiterTtl = 6_000, timeout = 5_000, poll = 100, runtime = systemRuntime } = read;
    const { expiry = 'ttl', fencing = 'clock-bounded' } = store;
    const { clock } = runtime;
    const process = runtime.uniqueId();
    this.name = store.name;
    this.traits = { scope: store.scope, expiry, fencing, fair: true, shared: true, wake: true };
    this.#store = store;
    this.#deadline = createDeadline(runtime, timeout, store.name);
    const calls = new StoreCalls(store, runtime, this.#deadline, process);
    const hear: ChannelParts['hear'] = (owner, assigned) => this.#hear?.(owner, assigned);
    // A strict store keeps its counter, so its tokens need no clock.
    const strict = fencing === 'strict';
    const leastToken = (): number => (strict ? 1 : Math.floor((clock.origin + clock.now()) * 1_000));
    const keeps: ChannelParts['keepFor'] = (record, now) => (strict ? undefined : keepFor(record, now, leastToken()));
    const contact = store.process ?? process;
    const ended: ChannelParts['ended'] = (other) => other !== contact && store.ended?.(other) === true;
    const timers = new TimerWheel(runtime, false);
    this.#parts = { runtime, deadline: this.#deadline, timers, calls, process: contact, ended, keepFor: keeps, hear };
    this.#channels = new KeyChannels(store, this.#parts, poll);
    this.#rules = { waiterTtl, leastToken, assigns: () => true };
    this.#queue = createQueue({
      runtime,
      deadline: this.#deadline,
      waiterTtl,
      attempt: (attempt) => this.#attempt(attempt),
      // Calls on a key are decided in their order.
      together: Infinity,
      listen: async (heard) => {
        this.#hear = heard;
        return { probe: async () => {}, close: () => {} };
      },
    });
    if (store.list !== undefined) this.list = (start) => this.#list(start);
    if (store.time !== undefined) this.time = async () => await this.#timeOfStore();
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    return this.#queue.tryAcquire(claim, wake);
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    this.#checkOpen();
    const done = await this.#channels.of(claim.key).call<Renewal | false>({
      what: 'renew',
      key: claim.key,
      ttl: claim.ttl,
      work: (record, now, tell) => renew(record, claim, token, now, this.#rules, tell),
      urgent: (renewed) => renewed !== false,
    });
    return done.slack > 0 && done.answer ? { validity: lastsFor(claim, done) } : done.answer;
  }

  async release(claim: Claim): Promise<boolean> {
    // A hold assigned to a waiting claim was not granted to it yet.
    const waits = this.#queue.leave(claim);
    this.#checkOpen();
    const { key } = claim;
    const work: Work<boolean> = (record, now, tell) => {
      purge(record, now);
      const held = find(record.holds, claim.owner) !== undefined;
      release(record, claim, now, this.#rules, tell);
      return held;
    };
    const { answer } = await this.#channels.of(key).call({ what: 'release', key, ttl: Infinity, work, urgent: isHeld });
    return answer && !waits;
  }

  async inspect(key: string): Promise<KeyState> {
    this.#checkOpen();
    const { answer } = await this.#channels.of(key).call({
      what: 'inspect',
      key,
      ttl: Infinity,
      work: (record, now) => inspect(record, now),
      early: () => unheard,
    });
    if (this.traits.expiry !== 'observed') return { key, ...answer };
    // This process assumes a hold for longer than its holder does.
    const told = answer.holders.map((holder) => ({
      ...holder,
      remaining: Math.floor((holder.remaining ?? 0) / fastestRate),
    }));
    return { key, ...answer, holders: told };
  }

  async register(name: string, change?: RegisterChange): Promise<string | undefined> {
    this.#checkOpen();
    const { calls, runtime } = this.#parts;
    return await changeRegister(calls, runtime, this.#deadline.timeout, name, change);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.close(providerClosed(this.name));
    this.#channels.close();
    await this.#store.close?.();
  }

  /** With `others` the claim is to wait, and they are refreshed. */
  async #attempt({ claim, others, repeated, within }: Attempt): Promise<Attempted> {
    const { owner, ttl } = claim;
    const { waiterTtl } = this.#rules;
    const contact = others && this.#parts.process;
    let lapsed: readonly Claim[] = [];
    const { clock } = this.#parts.runtime;
    const begun = clock.now();
    let isNew = true;
    let refused = false;
    const work: Work<Grant | Busy | Refusal> = (record, now, tell) => {
      if (refused && contact === undefined) return this.#busy();
      purge(record, now);
      lapsed = (others ?? []).filter((other) => {
        const place = find(record.queue, other.owner);
        if (place !== undefined) place.until = now + waiterTtl;
        return place === undefined;
      });
      const hold = find(record.holds, owner);
      // The queue has answered an attempt with it, so its token stays.
      if (hold?.assigned === true && !repeated && !refused) hold.assigned = false;
      isNew = hold === undefined && find(record.queue, owner) === undefined;
      if (isNew && record.holds.length + record.queue.length >= mostClaims) {
        return { ...this.#busy(), queueLimit: mostClaims };
      }
      const answer = acquire(record, claim, contact, now, this.#rules, tell);
      const granted = refused && find(record.holds, owner);
      if (granted) granted.assigned = true;
      return answer;
    };
    const early = ({ granted }: Grant | Busy | Refusal): Outcome<unknown> | undefined => {
      if (granted !== false) return undefined;
      // Once it is answered, no later claim may overtake it.
      const joins = isNew && contact !== undefined;
      if (joins && clock.now() - begun < this.#deadline.timeout * joining) return undefined;
      // No attempt was answered with what the claim gets from now on.
      refused = true;
      return {
        answered: () => {
          for (const other of lapsed) this.#queue.wake(other.owner);
        },
        failed: () => this.#queue.wake(owner),
      };
    };
    const urgent = ({ granted }: Grant | Busy | Refusal): boolean => granted === true;
    const done = await this.#channels
      .of(claim.key)
      .call({ what: 'tryAcquire', key: claim.key, ttl, work, urgent, early }, within);
    const { answer } = done;
    if (answer.granted === undefined) throw refusalOf(answer, claim);
    const kept = others?.filter((other) => !lapsed.includes(other)).map((other) => other.owner);
    if (!answer.granted) return { ...this.#busy(), ...answer, kept };
    const { token } = answer;
    return done.slack === 0
      ? { granted: true, token, kept }
      : { granted: true, token, validity: lastsFor(claim, done), kept };
  }

  #busy(): Waiting {
    return { granted: false, retryAfter: Math.floor(this.#rules.waiterTtl / 3) };
  }

  async *#list(start: string): AsyncIterable<string> {
    this.#checkOpen();
    for await (const stored of this.#store.list?.(keyPrefix + start) ?? []) {
      const key = stored.slice(keyPrefix.length);
      const { holders, waiters } = await this.inspect(key).catch(asUnused);
      if (holders.length > 0 || waiters > 0) yield key;
    }
  }

  async #timeOfStore(): Promise<number> {
    this.#checkOpen();
    return await this.#parts.calls.bounded('time', this.#parts.calls.time());
  }

  #checkOpen(): void {
    if (this.#closed) throw providerClosed(this.name);
  }
}

/** A foreign or damaged text is no key in use. Each call on it is refused. */
function asUnused(error: unknown): Pick<KeyState, 'holders' | 'waiters'> {
  if (isLockError(error, 'LOCK_MISCONFIGURED')) return { holders: [], waiters: 0 };
  throw error;
}

function isHeld(held: boolean): boolean {
  return held;
}

const unheard: Outcome<unknown> = { answered() {}, failed() {} };

/** The store's time may have been later when it granted. */
function lastsFor({ ttl }: Claim, { slack }: Pick<Done<unknown>, 'slack'>): number {
  return Math.max(1, ttl - slack);
}
