import { LockError, isLockError } from '../../errors/lock-error.ts';
import { admits } from '../../key/admission.ts';
import type { Tell } from '../../key/calls.ts';
import { earliest } from '../../key/record.ts';
import { outsideContext } from '../../time/outside-context.ts';
import type { Runtime } from '../../time/runtime.ts';
import type { Deadline, Outcome } from '../deadline.ts';
import type { Assignment } from '../line/assignment.ts';
import { withMoments } from './entry-ends.ts';
import type { EntryEnds } from './entry-ends.ts';
import type { KeyWatch } from './key-watch.ts';
import type { StoredKey } from './record-text.ts';
import type { ReadState, StoreCalls } from './store-calls.ts';
import { reusedMoment, readMoment } from './store-time.ts';
import type { Moment } from './store-time.ts';

/** What a call makes of the record. It may run again, as another process may have been faster. */
export type Work<T> = (record: StoredKey, now: number, tell: Tell<string>) => T;

/** What a call came to. A hold lasts for its ttl less `slack` ms, from the call. */
export interface Done<T> {
  readonly answer: T;
  readonly slack: number;
}

/** What the keys of one provider share. */
export interface ChannelParts {
  readonly runtime: Runtime;
  readonly deadline: Deadline;
  readonly calls: StoreCalls;
  /** The contact of the claims of this process. */
  readonly process: string;
  /** Says that it is the turn of `owner`, of this process. */
  hear(owner: string, assigned?: Assignment): void;
}

interface Call {
  readonly work: Work<unknown>;
  /** The ttl that it gives to a hold. */
  readonly ttl: number;
  readonly outcome: Outcome<Done<unknown>>;
  /** Its effect may reach the store. */
  sent: boolean;
  over: boolean;
}

/** The longest pause after a conflict, in ms. A longer one makes a far process lose more often. */
const longestPause = 40;

/**
 * The calls of one process on one key. Those that come together, or during a round trip, share one
 * read and one replace. Only a replace that succeeded shows that the state before it was the state.
 */
export class KeyChannel {
  readonly #key: string;
  readonly #parts: ChannelParts;
  readonly #ends: EntryEnds;
  readonly #watch: KeyWatch;
  readonly #calls: Call[] = [];
  #running = false;
  #looks = false;
  /** What this process wrote last. */
  #last: ReadState | undefined = undefined;

  constructor(key: string, parts: ChannelParts, ends: EntryEnds, watch: (look: () => void) => KeyWatch) {
    this.#key = key;
    this.#parts = parts;
    this.#ends = ends;
    this.#watch = watch(() => this.#look());
  }

  /** Whether nothing is under way, and no claim of this process waits. */
  get idle(): boolean {
    return !this.#running && !this.#watch.active;
  }

  /** Applies `work`, with a `ttl` for a hold, and stores what it changes, within `within` ms. */
  async call<T>(what: string, ttl: number, work: Work<T>, within?: number): Promise<Done<T>> {
    let call: Call | undefined;
    const begin = (outcome: Outcome<Done<T>>): void => {
      call = { work, ttl, outcome, sent: false, over: false };
      this.#calls.push(call);
      this.#start();
    };
    try {
      return await this.#parts.deadline.race<Done<T>>(begin, () => `${what} of ${JSON.stringify(this.#key)}`, within);
    } catch (error) {
      const never = call?.sent === false && isLockError(error, 'LOCK_UNAVAILABLE');
      if (call !== undefined) call.over = true;
      if (!never) throw error;
      throw new LockError('LOCK_UNAVAILABLE', error.message, { key: this.#key, cause: error.cause, sent: false });
    }
  }

  close(): void {
    this.#watch.close();
  }

  #look(): void {
    this.#looks = true;
    this.#start();
  }

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    // The calls of one tick travel together.
    process.nextTick(() => void outsideContext(() => this.#run()));
  }

  async #run(): Promise<void> {
    const { runtime } = this.#parts;
    while (this.#calls.length > 0 || this.#looks) {
      await this.#round();
      await runtime.yieldIfDue?.(runtime.clock.now());
    }
    this.#running = false;
  }

  /** Tries until its calls are settled. Calls that come meanwhile join. */
  async #round(): Promise<void> {
    const { runtime } = this.#parts;
    let calls: Call[] = [];
    let looked = false;
    for (let conflicts = 0, reuses = true; ; reuses = false) {
      calls = [...calls, ...this.#calls.splice(0)].filter(({ over }) => !over);
      looked ||= this.#looks;
      this.#looks = false;
      if (calls.length === 0 && !looked) return;
      try {
        const outcome = await this.#try(calls, reuses && !looked);
        if (outcome === 'settled') return;
        if (outcome === 'conflict') conflicts += 1;
      } catch (error) {
        for (const { outcome } of calls) outcome.failed(error);
        return;
      }
      if (conflicts < 2) continue;
      const pause = runtime.random() * Math.min(longestPause, 2 ** conflicts);
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, pause, true));
    }
  }

  async #try(calls: readonly Call[], reuses: boolean): Promise<'settled' | 'conflict' | 'unproven'> {
    const { process, runtime } = this.#parts;
    const last = reuses ? this.#reusable(calls) : undefined;
    const state = last?.state ?? (await this.#parts.calls.read(this.#key));
    const moment = last?.moment ?? readMoment(state, runtime.clock.now());
    this.#last = undefined;
    const record = this.#ends.read(this.#key, state);
    const before = withMoments(record);
    const waited = record.line.length > 0;
    const woken = new Set<string>();
    const tell: Tell<string> = ({ owner, contact }) => void (contact === process && woken.add(owner));
    const answers = calls.map(({ work }) => work(record, moment.now, tell));
    if (withMoments(record) !== before) {
      if (!(await this.#store(calls, state, record, moment, waited || record.line.length > 0))) return 'conflict';
    } else if (last !== undefined) return 'unproven';
    for (const [index, { outcome }] of calls.entries())
      outcome.answered({ answer: answers[index], slack: moment.slack });
    this.#tellTurns(record, moment, woken);
    return 'settled';
  }

  async #store(
    calls: readonly Call[],
    state: ReadState,
    record: StoredKey,
    { now }: Moment,
    waited: boolean,
  ): Promise<boolean> {
    const version = this.#parts.calls.nextVersion();
    const { text, stored } = this.#ends.written(record, version, now);
    for (const call of calls) call.sent = true;
    const replaced = await this.#parts.calls.replace(this.#key, state.version, { version, record: text }, waited);
    if (!replaced) {
      for (const call of calls) call.sent = false;
      return false;
    }
    stored();
    this.#last = { ...state, version, text, receivedAt: state.now === undefined ? now : state.receivedAt };
    return true;
  }

  /** The own last state, where a grant is hardly shorter, and where nothing may have ended. */
  #reusable(calls: readonly Call[]): { state: ReadState; moment: Moment } | undefined {
    const state = this.#last;
    const moment = state && reusedMoment(state, this.#parts.runtime.clock.now());
    if (state === undefined || moment === undefined) return undefined;
    if (calls.some(({ ttl }) => moment.slack * 20 > ttl)) return undefined;
    const { holds, line } = this.#ends.read(this.#key, state);
    const first = Math.min(earliest(holds, Infinity), earliest(line, Infinity));
    return first > moment.now + moment.slack ? { state, moment } : undefined;
  }

  #tellTurns(record: StoredKey, moment: Moment, woken: ReadonlySet<string>): void {
    const { process, hear } = this.#parts;
    for (const owner of woken) hear(owner);
    for (const { owner, token, until, assigned } of record.holds) {
      if (!assigned || until <= moment.now) continue;
      const validity = until - moment.now - moment.slack;
      hear(owner, moment.at === undefined ? undefined : { token: BigInt(token), sentAt: moment.at, validity });
    }
    const [head] = record.line;
    const ours = head?.contact === process;
    if (ours && !woken.has(head.owner) && admits(record, head)) hear(head.owner);
    this.#watch.update(ours || record.line.some(({ contact }) => contact === process), ours);
  }
}
