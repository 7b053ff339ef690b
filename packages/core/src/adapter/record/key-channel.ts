import { isLockError } from '../../errors/lock-error.ts';
import { admits } from '../../key/admission.ts';
import { outsideContext } from '../../time/outside-context.ts';
import { pause } from '../../time/pause.ts';
import { createObservation, momentsOfStore } from './entry-ends.ts';
import type { EntryEnds } from './entry-ends.ts';
import { KeyLooks } from './key-looks.ts';
import { settleMade, takeStep } from './key-step.ts';
import type { ChannelParts, Change, LostWrite, Step } from './key-step.ts';
import { createKeyWatch } from './key-watch.ts';
import type { KeyWatch } from './key-watch.ts';
import { KnownState } from './known-state.ts';
import { Pacing } from './pacing.ts';
import { OpenCalls } from './open-calls.ts';
import type { Done, KeyCall, PendingCall } from './pending-call.ts';
import type { RecordStore } from './record-store.ts';
import type { StoredKey } from './record-text.ts';
import type { ReadState } from './store-calls.ts';
import { readMoment } from './store-time.ts';
import type { Moment } from './store-time.ts';

/** Lock keys have this prefix in a store. */
export const keyPrefix = 'key:';

/** The longest pause after a conflict, in ms. A longer one makes a far process lose more often. */
const longestPause = 40;

/**
 * The calls of one process on one key. Those made together, or during a round trip, share one read
 * and one replace. Only a successful replace proves that the state before it was current.
 */
export class KeyChannel {
  readonly #key: string;
  readonly #parts: ChannelParts;
  readonly #ends: EntryEnds;
  readonly #watch: KeyWatch;
  readonly #known: KnownState;
  readonly #looks: KeyLooks;
  readonly #pacing: Pacing;
  #longPause: AbortController | undefined = undefined;
  readonly #open: OpenCalls;
  #running = false;
  /** The state that a write with unknown outcome expects. It may still be applied. */
  #unsettled: Pick<ReadState, 'version'> | undefined = undefined;

  constructor(name: string, store: RecordStore, parts: ChannelParts, poll: number) {
    const { calls, runtime } = parts;
    const key = keyPrefix + name;
    this.#key = key;
    this.#parts = parts;
    this.#open = new OpenCalls(parts);
    this.#ends = store.expiry === 'observed' ? createObservation() : momentsOfStore;
    // On one host a long round trip indicates a busy processor, and gaps would slow all down.
    this.#pacing = new Pacing(name, calls, runtime, store.scope === 'network');
    this.#known = new KnownState(key, this.#ends);
    this.#looks = new KeyLooks({
      read: () => calls.bounded('read', calls.read(key)),
      found: (state) => {
        const record = this.#known.recordOf(state);
        if (!this.#running) this.#known.set(state, record);
        this.#tellTurns(record, readMoment(state, runtime.clock.now()));
      },
      idle: () => !this.#running,
    });
    this.#watch = createKeyWatch(key, store, runtime, poll, () => this.#looks.look());
  }

  /** Whether no call is in progress, and no claim of this process waits. */
  get idle(): boolean {
    return !this.#running && !this.#watch.active;
  }

  /** Applies the work of `call` and stores its changes, within `within` ms. */
  call<T>(call: KeyCall<T>, within: number = this.#parts.deadline.timeout): Promise<Done<T>> {
    const done = this.#open.add(call, within);
    this.#start();
    return done;
  }

  close(): void {
    this.#watch.close();
  }

  #start(): void {
    const longPause = this.#longPause;
    if (longPause !== undefined) process.nextTick(() => longPause.abort());
    if (this.#running) return;
    this.#running = true;
    // The calls of one tick are sent together.
    process.nextTick(() => void outsideContext(() => this.#run()));
  }

  async #run(): Promise<void> {
    const { runtime } = this.#parts;
    do {
      await this.#settle();
      const due = runtime.yieldIfDue?.(runtime.clock.now());
      if (due !== undefined) await due;
    } while (this.#open.next());
    this.#running = false;
    this.#looks.idle();
  }

  /** A round: retries until its calls are settled. Calls made meanwhile join. */
  async #settle(): Promise<void> {
    const { runtime, calls: store } = this.#parts;
    const open = this.#open;
    let lost: LostWrite | undefined;
    for (let conflicts = 0, reads = false; ; reads = true) {
      for (const joined of open.join()) if (isHolders(joined)) this.#pacing.begins(store.trip);
      if (open.round.length === 0) return;
      let delay: number;
      try {
        const unread = reads ? undefined : this.#known.unread(open.round, runtime.clock.now());
        const { state, moment } = unread ?? (await this.#read());
        if (lost !== undefined) open.keep(settleMade(open.round, lost, this.#known.recordOf(state)));
        const calls = open.round;
        const step = this.#step(state, moment, calls);
        // Only a read proves that nothing has to change.
        if (unread !== undefined && step.change === undefined) continue;
        delay = this.#pauseBefore(step);
        // Others are faster. A claim may want to stop soon.
        if (conflicts > 0 || delay > longestPause) this.#answerEarly(calls, step);
        if (delay === 0) {
          if (step.change === undefined || (await this.#replace(calls, step, step.change))) {
            for (const [index, call] of calls.entries()) call.answered(step.answers[index], moment.slack);
            this.#tellTurns(step.record, moment, step.woken);
            return;
          }
          lost = { calls, step };
          conflicts += 1;
          this.#pacing.lost(conflicts, store.trip);
          if (conflicts > 1) delay = runtime.random() * Math.min(longestPause, 2 ** conflicts);
        }
      } catch (error) {
        for (const call of open.round) call.failed(error);
        return;
      }
      if (delay > 0) await this.#pause(delay);
    }
  }

  async #read(): Promise<{ readonly state: ReadState; readonly moment: Moment }> {
    const state = await this.#open.reply(this.#parts.calls.read(this.#key, this.#open.round.some(isHolders)));
    return { state, moment: readMoment(state, this.#parts.runtime.clock.now()) };
  }

  #step(state: ReadState, moment: Moment, calls: readonly PendingCall[]): Step {
    const record = this.#known.takeRecord(state);
    // Any other write makes that one fail: what an abandoned claim has sent takes no effect.
    const always = this.#unsettled !== undefined && this.#unsettled.version === state.version;
    return takeStep(state, moment, record, calls, always, this.#ends, this.#parts);
  }

  /** Others have asked for gaps between writes: in how many ms this one may be made. */
  #pauseBefore({ change, urgent, record }: Step): number {
    if (change === undefined || !this.#pacing.asked) return 0;
    return this.#pacing.pause(urgent ? 1 : new Set(record.queue.map(({ contact }) => contact)).size + 1);
  }

  async #replace(calls: readonly PendingCall[], { state, moment, record }: Step, change: Change): Promise<boolean> {
    const { version, text, waited, wakes } = change;
    const { calls: store, keepFor, runtime } = this.#parts;
    const write = this.#looks.begun();
    let until = Infinity;
    for (const call of calls) {
      call.sent = true;
      until = Math.min(until, call.until);
    }
    const next = { version, record: text, keepFor: keepFor(record, moment.now) };
    this.#unsettled = state;
    // No caller would learn of a later write.
    const within = Math.max(1, until - runtime.clock.now());
    let stored: string | undefined;
    try {
      const about = { waited, wakes, within, first: calls.some(isHolders) };
      stored = await this.#open.reply(store.replace(this.#key, state.version, next, about));
    } catch (error) {
      // A store may know that nothing of a write left this process.
      if (isLockError(error) && error.sent === false) this.#unsettled = undefined;
      throw error;
    }
    this.#unsettled = undefined;
    if (stored === undefined) {
      for (const call of calls) call.sent = false;
      if (!moment.read) this.#known.refuted();
      return false;
    }
    this.#looks.written(write);
    this.#ends.stored?.(change);
    const { now, sentAt, receivedAt } = state;
    this.#known.set(
      { version: stored, text, now, sentAt, receivedAt: now === undefined ? moment.now : receivedAt },
      record,
    );
    this.#pacing.wrote(waited);
    return true;
  }

  /** Answers claims that `step` refuses now; they take positions when others let them. */
  #answerEarly(calls: readonly PendingCall[], { answers }: Step): void {
    const { runtime, deadline } = this.#parts;
    const end = runtime.clock.now() + deadline.timeout;
    for (const [index, call] of calls.entries()) call.answerEarly(answers[index], end);
  }

  /** A long pause ends when a call arrives: it may be urgent, or want an early answer. */
  async #pause(ms: number): Promise<void> {
    const { runtime } = this.#parts;
    if (ms <= longestPause) return await pause(runtime, ms);
    if (this.#open.waits) return;
    this.#longPause = new AbortController();
    await pause(runtime, ms, { signal: this.#longPause.signal });
    this.#longPause = undefined;
  }

  #tellTurns(record: StoredKey, moment: Moment, woken: ReadonlySet<string> = none): void {
    const { process, hear, ended } = this.#parts;
    for (const owner of woken) hear(owner);
    for (const { owner, token, until, assigned } of record.holds) {
      if (!assigned || until <= moment.now) continue;
      const validity = until - moment.now - moment.slack;
      hear(owner, moment.at === undefined ? undefined : { token: BigInt(token), sentAt: moment.at, validity });
    }
    if (record.queue.length === 0 && !this.#watch.active) return;
    const head = record.queue.find(({ contact }) => !ended(contact));
    const ours = head?.contact === process;
    // Behind an ended process it also learns when a hold ends.
    const can = ours && (head !== record.queue[0] || admits({ ...record, holds: lasting(record, moment) }, head));
    if (can && !woken.has(head.owner)) hear(head.owner);
    const waits = ours || record.queue.some(({ contact }) => contact === process);
    this.#watch.update({ waits, ours, token: record.token });
  }
}

const none: ReadonlySet<string> = new Set();

/** A renewal or a release has no answer but that of the store. */
function isHolders({ call }: PendingCall): boolean {
  return call.early === undefined;
}

function lasting({ holds }: StoredKey, { now }: Moment): StoredKey['holds'] {
  return holds.filter(({ until }) => until > now);
}
