import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '../../contract.ts';
import { providerClosed } from '../../errors/messages.ts';
import { misconfigured } from '../../errors/misconfigured.ts';
import { refusalOf } from '../../errors/refusals.ts';
import type { KeyRules } from '../../key/admission.ts';
import { find } from '../../key/by-owner.ts';
import { acquire, inspect, release, renew } from '../../key/calls.ts';
import { purge } from '../../key/record.ts';
import { describe } from '../../options/key.ts';
import { readOptions } from '../../options/read-options.ts';
import { systemRuntime } from '../../time/runtime.ts';
import { createDeadline } from '../deadline.ts';
import type { Deadline } from '../deadline.ts';
import { createLine } from '../line/create-line.ts';
import type { Line, Listen, Waiting } from '../line/line-parts.ts';
import { createObservation, fastestRate, momentsOfStore } from './entry-ends.ts';
import { KeyChannel } from './key-channel.ts';
import type { ChannelParts, Done } from './key-channel.ts';
import { createKeyWatch } from './key-watch.ts';
import { recordReaders } from './record-store.ts';
import type { RecordOptions, RecordStore } from './record-store.ts';
import { changeRegister } from './register.ts';
import { StoreCalls } from './store-calls.ts';

/**
 * How many claims hold a key or are in line for it, at most. Further ones are busy, out of line.
 * More make a text that each change writes again, of more than 120 KB.
 */
const mostClaims = 2_000;
/** Of keys that were used lately, so many states are kept. More cost memory. */
const channelsKept = 1_000;
const prefix = 'key:';

/**
 * A provider over a store with a conditional write: fair, shared, fenced, with a line and wakes.
 * @throws `LOCK_MISCONFIGURED` naming the wrong option, or the function that `store` lacks.
 */
export function createRecordProvider(store: RecordStore, options: RecordOptions = {}): LockProvider {
  for (const name of ['read', 'replace'] as const) {
    if (typeof store[name] === 'function') continue;
    throw misconfigured('createRecordProvider', `the store needs a function "${name}", not ${describe(store[name])}`);
  }
  return new RecordProvider(store, options);
}

class RecordProvider implements LockProvider {
  readonly name: string;
  readonly traits: Traits;
  readonly list?: NonNullable<LockProvider['list']>;
  readonly time?: NonNullable<LockProvider['time']>;
  readonly #store: RecordStore;
  readonly #parts: ChannelParts;
  readonly #poll: number;
  readonly #rules: KeyRules;
  readonly #deadline: Deadline;
  readonly #line: Line;
  readonly #channels = new Map<string, KeyChannel>();
  #hear: Parameters<Listen>[0] | undefined = undefined;
  #closed = false;

  constructor(store: RecordStore, options: RecordOptions) {
    const where = `The ${store.name} provider`;
    const read = readOptions(recordReaders, options, { where, code: 'LOCK_MISCONFIGURED', text: true });
    const { fair = true, waiterTtl = 6_000, timeout = 5_000, poll = 100, runtime = systemRuntime } = read;
    const { expiry = 'ttl', fencing = 'clock-bounded' } = store;
    const { clock } = runtime;
    const process = runtime.uniqueId();
    this.name = store.name;
    this.traits = { scope: store.scope, expiry, fencing, fair, shared: true, resize: true, wake: true };
    this.#store = store;
    this.#poll = poll;
    this.#deadline = createDeadline(runtime, timeout, store.name);
    const calls = new StoreCalls(store, runtime, this.#deadline, process);
    const hear: ChannelParts['hear'] = (owner, assigned) => this.#hear?.(owner, assigned);
    this.#parts = { runtime, deadline: this.#deadline, calls, process, hear };
    // A strict store keeps its counter, so its tokens need no clock.
    const leastToken = fencing === 'strict' ? () => 1 : () => Math.floor((clock.origin + clock.now()) * 1_000);
    this.#rules = { fair, waiterTtl, leastToken, ...(fair && { assigns: () => true }) };
    this.#line = createLine({
      runtime,
      deadline: this.#deadline,
      waiterTtl,
      attempt: (claim, others, within) => this.#attempt(claim, others, within),
      listen: async (heard) => {
        this.#hear = heard;
        return { probe: async () => {}, close: () => {} };
      },
    });
    if (store.list !== undefined) this.list = (start) => this.#list(start);
    if (store.time !== undefined) this.time = async () => await this.#timeOfStore();
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    return this.#line.tryAcquire(claim, wake);
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    this.#checkOpen();
    const done = await this.#channel(claim.key).call('renew', claim.ttl, (record, now, tell) =>
      renew(record, claim, token, now, this.#rules, tell),
    );
    return done.answer && lasting(done.answer, claim, done);
  }

  async release(claim: Claim): Promise<boolean> {
    // What the store assigned to a claim that waits was not granted to it yet.
    const waits = this.#line.leave(claim.owner);
    this.#checkOpen();
    const { answer } = await this.#channel(claim.key).call('release', Infinity, (record, now, tell) => {
      purge(record, now);
      const held = find(record.holds, claim.owner) !== undefined;
      release(record, claim, now, this.#rules, tell);
      return held;
    });
    return answer && !waits;
  }

  async inspect(key: string): Promise<KeyState> {
    this.#checkOpen();
    const { answer } = await this.#channel(key).call('inspect', Infinity, (record, now) => inspect(record, now));
    if (this.traits.expiry !== 'observed') return { key, ...answer };
    // This process keeps to a hold for longer than its holder can.
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
    this.#line.close(providerClosed(this.name));
    for (const channel of this.#channels.values()) channel.close();
    await this.#store.close?.();
  }

  /** With `others` the claim is to wait, and they show that they still do. */
  async #attempt(claim: Claim, others: readonly Claim[] | undefined, within?: number): Promise<Grant | Waiting> {
    const { owner, ttl } = claim;
    const { waiterTtl } = this.#rules;
    const unanswered = this.#line.isRepeated(owner);
    const contact = others && this.#parts.process;
    let lapsed: readonly Claim[] = [];
    const done = await this.#channel(claim.key).call(
      'tryAcquire',
      ttl,
      (record, now, tell) => {
        purge(record, now);
        lapsed = (others ?? []).filter((other) => {
          const place = find(record.line, other.owner);
          if (place !== undefined) place.until = now + waiterTtl;
          return place === undefined;
        });
        const hold = find(record.holds, owner);
        // The line has answered an attempt with it, so its token stays.
        if (hold?.assigned === true && !unanswered) hold.assigned = false;
        const isNew = hold === undefined && find(record.line, owner) === undefined;
        if (isNew && record.holds.length + record.line.length >= mostClaims) return this.#busy();
        return acquire(record, claim, contact, now, this.#rules, tell);
      },
      within,
    );
    for (const other of lapsed) this.#line.wake(other.owner);
    const { answer } = done;
    if (answer.granted === undefined) throw refusalOf(answer, claim);
    return answer.granted ? lasting(answer, claim, done) : { ...this.#busy(), ...answer };
  }

  #busy(): Waiting {
    return { granted: false, retryAfter: Math.floor(this.#rules.waiterTtl / 3) };
  }

  #channel(key: string): KeyChannel {
    const known = this.#channels.get(key);
    if (known !== undefined) return known;
    const { runtime } = this.#parts;
    const stored = prefix + key;
    const ends = this.traits.expiry === 'observed' ? createObservation() : momentsOfStore;
    const watch = (look: () => void) => createKeyWatch(stored, this.#store, runtime, this.#poll, look);
    const channel = new KeyChannel(stored, this.#parts, ends, watch);
    this.#channels.set(key, channel);
    if (this.#channels.size > channelsKept) this.#forget(channel);
    return channel;
  }

  /** Forgets keys that were first used long ago. */
  #forget(made: KeyChannel): void {
    for (const [key, channel] of this.#channels) {
      if (channel === made || !channel.idle) continue;
      this.#channels.delete(key);
      if (this.#channels.size <= channelsKept) break;
    }
  }

  async *#list(start: string): AsyncIterable<string> {
    this.#checkOpen();
    for await (const stored of this.#store.list?.(prefix + start) ?? []) {
      const key = stored.slice(prefix.length);
      const { holders, waiters } = await this.inspect(key);
      if (holders.length > 0 || waiters > 0) yield key;
    }
  }

  async #timeOfStore(): Promise<number> {
    this.#checkOpen();
    const time: unknown = await this.#parts.calls.within('time', async () => await this.#store.time?.());
    if (typeof time === 'number' && Number.isFinite(time)) return time;
    throw misconfigured(`The store "${this.name}"`, `time must resolve to a number of ms, not ${describe(time)}`);
  }

  #checkOpen(): void {
    if (this.#closed) throw providerClosed(this.name);
  }
}

/** The store's time may have been later when it granted. */
function lasting<T extends Grant | Renewal>(answer: T, { ttl }: Claim, { slack }: Pick<Done<unknown>, 'slack'>): T {
  return slack === 0 ? answer : { ...answer, validity: Math.max(1, ttl - slack) };
}
