import type { Grant } from '@locks/core';
import { isLockError } from '@locks/core/adapter';
import type { KeyCall, KeyRecord } from '@locks/core/adapter';
import type { Bench, Ending } from './bench.ts';
import { batched, callOf, claimOf, decidesNothing, isGrant, runningParty, sendCall, traceOf, ttlOf } from './claims.ts';
import type { ClaimAction, RunningParty } from './claims.ts';
import { differenceOf, inWords } from './compare.ts';
import { KeyState } from './key-state.ts';
import type { Shown } from './key-state.ts';
import { Notes } from './notes.ts';
import type { Difference } from './options.ts';
import { keysOfPlan } from './plan.ts';
import type { Action, Plan } from './plan.ts';
import { agrees, ask } from './questions.ts';
import type { Question } from './questions.ts';

type Outcome = Difference | 'abandoned' | undefined;

/** A call on one key, sent with the others of its batch. */
interface Sendable {
  readonly call: KeyCall;
  readonly key: number;
  readonly party?: RunningParty;
  readonly send: () => Promise<unknown>;
}

/** The longest time until a wake, in ms. */
const wakeWithin = 5_000;
/** How long a call is repeated, in ms. */
const repeatsFor = 10_000;

/** Sends the calls of `plan` to the providers, and applies them to the rules, until they differ. */
export async function replay(plan: Plan, bench: Bench): Promise<Ending> {
  const sequence = new Sequence(plan, bench);
  let outcome: Outcome;
  try {
    for (const action of plan.actions) {
      outcome = await sequence.run(action);
      if (outcome !== undefined) break;
    }
  } finally {
    await sequence.end();
  }
  const { calls } = sequence;
  if (outcome === undefined) return { ended: 'agreed', calls };
  return outcome === 'abandoned' ? { ended: outcome, calls } : { ended: 'differed', calls, difference: outcome };
}

class Sequence {
  calls = 0;
  readonly #bench: Bench;
  readonly #parties: readonly RunningParty[];
  readonly #keys: readonly KeyState[];
  readonly #notes: Notes;
  /** The duration of the longest call, in ms. */
  #slack = 0;
  #text: string | undefined;

  constructor(plan: Plan, bench: Bench) {
    this.#bench = bench;
    this.#notes = new Notes(plan, bench.processes);
    this.#keys = Array.from({ length: keysOfPlan }, () => new KeyState(bench));
    this.#parties = plan.parties.map((party, index) => runningParty(party, `party-${index}/${bench.prefix}`));
  }

  /** `undefined`: the answers are the same, or nothing can be compared. */
  async run(action: Action): Promise<Outcome> {
    const { processes, time } = this.#bench;
    switch (action.op) {
      case 'sleep':
        this.#notes.write(`pause of ${action.ms} ms`);
        await time.sleep(action.ms);
        return undefined;
      case 'fault':
        this.#notes.write(`fault ${action.fault} at process ${action.process}`);
        this.#notes.after.add(action.fault);
        await processes.disturb(action.fault, action.process);
        return undefined;
      case 'time':
      case 'list':
      case 'register':
        return await this.#ask(action);
      case 'inspect':
        return await this.#compare({
          call: { op: 'inspect' },
          key: action.key,
          send: async () => await processes.provider(action.via).inspect(this.#nameOf(action.key)),
        });
      case 'close':
        return await this.#close(action.process);
      case 'hand over':
        return this.#transfer(this.#parties[action.who] as RunningParty, action.process);
      case 'batch': {
        this.#notes.after.add('batch');
        const own = [...this.#parties.entries()].filter(([, { process }]) => process === action.process);
        // A claim whose position has lapsed is before or behind the others of its tick.
        const isUnordered = own.some(
          ([, one]) => this.#hasLapsed(one) && own.some(([, other]) => other !== one && other.key === one.key),
        );
        if (this.#bench.margin > 0 && action.call === 'acquire' && isUnordered) return 'abandoned';
        return await this.#compare(...own.flatMap(([who, party]) => this.#callsOf(batched(action.call, who, party))));
      }
      default:
        return await this.#compare(...this.#callsOf(action));
    }
  }

  /** Leaves nothing for the next sequence. */
  async end(): Promise<void> {
    await this.#bench.processes.calm();
    if (this.#text === undefined) return;
    await this.#ask({ op: 'register', from: this.#text, to: undefined, via: 0 });
  }

  /** None: core would not make the call. */
  #callsOf(action: ClaimAction): readonly Sendable[] {
    const party = this.#parties[action.who] as RunningParty;
    const { key, process } = party;
    const state = this.#keys[key] as KeyState;
    const hold = state.holdOf(party);
    const call = callOf(action, party, this.#nameOf(key), hold, state.record.token);
    if (call === undefined) return [];
    if (call.op === 'acquire') party.woken = false;
    party.gone = call.op === 'release';
    if (party.gone) party.waits = false;
    const via = action.op === 'release' && hold?.assigned === false ? action.via : undefined;
    const provider = this.#bench.processes.provider(via ?? process);
    return [{ call, key, party, send: async () => await sendCall(provider, call, party) }];
  }

  async #ask(question: Question): Promise<Outcome> {
    const { processes, time, prefix } = this.#bench;
    const sent = time.now();
    const answer = await this.#answerTo(async () => await ask(processes.provider(question.via), question, prefix));
    if (this.#isLost(sent, answer)) return 'abandoned';
    if (question.op === 'register' && this.#text === question.from) this.#text = question.to;
    this.#notes.write(`${inWords(question)} → ${inWords(answer)}`);
    const keys = this.#keys.flatMap((key, index) => (key.isUsed(sent) ? [this.#nameOf(index)] : []));
    const expected = { list: keys, register: this.#text, time: undefined }[question.op];
    if (agrees(question, answer, expected)) return undefined;
    return this.#notes.difference(question.op, answer, expected, this.#record());
  }

  /** Sends these calls in one tick. The rules answer them in this order. */
  async #compare(...batch: readonly Sendable[]): Promise<Outcome> {
    const { time, close, margin, waiterTtl } = this.#bench;
    const [sent, before] = [time.now(), this.calls];
    const answers = await Promise.all(batch.map(({ send }) => this.#answerTo(send)));
    // A repeat may follow the others of its batch.
    const isReordered = batch.length > 1 && this.calls - before > batch.length;
    const isLate = sent + Math.min(...batch.map(ttlOf), waiterTtl) < time.now() + margin;
    if (isReordered || isLate || this.#isLost(sent, ...answers)) return 'abandoned';
    const callers = new Set<RunningParty>();
    let last: (() => Difference) | undefined;
    for (const [index, { call, key, party }] of batch.entries()) {
      const answer = answers[index];
      const state = this.#keys[key] as KeyState;
      if (state.isAmbiguous(call, answer, sent, this.#slack)) return 'abandoned';
      const expected = state.apply(call, party, answer, sent, this.#slack);
      this.#notes.write(`${traceOf(call, key, party)} → ${inWords(answer)}`);
      const remaining = close.remaining + this.#slack;
      const disturbed = this.#notes.isDisturbed();
      const longer = disturbed ? Infinity : remaining;
      const retryAfter = disturbed ? undefined : close.retryAfter;
      const what = differenceOf(call.op, answer, expected.answer, state.record, { remaining, longer, retryAfter });
      const differs = (seen: Difference['what']): Difference =>
        this.#notes.difference(seen, answer, expected.answer, expected.before, call);
      const repeated = what === 'freed' && answer === false && this.#notes.isDisturbed();
      // A copy of an attempt that comes after the release holds the key for a ttl.
      const isMoreHeld = what === 'holders' || (what === 'granted' && !isGrant(answer));
      if (isMoreHeld && this.#notes.after.has('duplicate')) return 'abandoned';
      if (what !== undefined && !repeated) return differs(what);
      if (party !== undefined && call.op === 'acquire' && 'granted' in Object(answer)) {
        const { granted, lost } = answer as Grant;
        party.lost = lost;
        party.waits = !granted && (call.contact !== undefined || party.waits);
        callers.add(party);
        const neighbours = this.#parties.filter(({ process }) => process === party.process);
        state.refresh(answer as Shown, neighbours, sent);
      }
      // They change nothing, and a head knows from `retryAfter` when a hold ends.
      if (call.op !== 'inspect' && !(answer instanceof Error)) last = () => differs('wake');
    }
    if (last === undefined) return undefined;
    return (await this.#turnsAreTold(batch, callers)) ? undefined : last();
  }

  /** Whether its position has lapsed. */
  #hasLapsed(party: RunningParty): boolean {
    return party.waits && !party.gone && this.#keys[party.key]?.has(party) === false;
  }

  /** The answer to a call, which is repeated while it is unknown. */
  async #answerTo(send: () => Promise<unknown>): Promise<unknown> {
    const { time } = this.#bench;
    const end = time.now() + repeatsFor;
    for (;;) {
      this.calls += 1;
      const answer = await send().catch((error: unknown) => error);
      const again = isLockError(answer, 'LOCK_UNAVAILABLE') && time.now() < end && this.#notes.isDisturbed();
      if (!again) return answer;
      await time.sleep(10);
    }
  }

  /** These answers prove nothing. */
  #isLost(sent: number, ...answers: readonly unknown[]): boolean {
    const answered = this.#bench.time.now();
    const isVoid = answers.some((answer) => decidesNothing(answer, this.#bench.waiterTtl));
    const isUndecided = this.#keys.some((key) => key.isUndecided(sent, answered, this.#slack));
    this.#slack = Math.max(this.#slack, answered - sent);
    return isVoid || isUndecided || this.#parties.some(({ lost }) => lost?.aborted);
  }

  /** Whether each waiting claim whose turn it is was woken, apart from the callers. */
  async #turnsAreTold(on: readonly { readonly key: number }[], callers?: Set<RunningParty>): Promise<boolean> {
    const { time, margin } = this.#bench;
    const turn = this.#parties.find((one) => {
      const isTold = !one.waits || one.woken || callers?.has(one) === true;
      return !isTold && on.some(({ key }) => key === one.key) && this.#keys[one.key]?.isTurnOf(one);
    });
    if (turn === undefined) return true;
    // In virtual time, only the microtasks have to end.
    for (let waited = 0; waited <= wakeWithin && !turn.woken; waited += 5) await time.sleep(margin === 0 ? 0 : 5);
    return turn.woken;
  }

  /** What the store keeps of a process that has ended lasts as long as that of a dead one. */
  async #close(process: number): Promise<Outcome> {
    const { processes, closeEnds, time } = this.#bench;
    this.#notes.write(`close of process ${process}`);
    this.#notes.after.add('close');
    const sent = time.now();
    await processes.replace(process);
    if (this.#isLost(sent)) return 'abandoned';
    const ended: RunningParty[] = [];
    for (const party of this.#parties) {
      const state = this.#keys[party.key] as KeyState;
      const holds = state.holdOf(party)?.assigned === false;
      if (party.process !== process || party.gone || (holds && closeEnds !== 'all')) continue;
      party.gone = party.waits || holds;
      party.waits = false;
      if (party.gone && closeEnds !== undefined) {
        const call: KeyCall = { op: 'release', claim: claimOf(party, '', {}) };
        state.apply(call, party, undefined, sent, this.#slack);
        ended.push(party);
      }
    }
    if (await this.#turnsAreTold(ended)) return undefined;
    return this.#notes.difference('wake', undefined, undefined, this.#record());
  }

  #transfer(party: RunningParty, process: number): undefined {
    if (party.gone || this.#keys[party.key]?.holdOf(party)?.assigned !== false) return;
    this.#notes.write(`${party.owner} goes to process ${process}`);
    party.process = process;
  }

  #record(): KeyRecord {
    const [first, ...others] = this.#keys.map(({ record }) => record) as [KeyRecord, ...KeyRecord[]];
    return others.find(({ queue }) => queue.length > 0) ?? first;
  }

  #nameOf(key: number): string {
    return `${this.#bench.prefix}/${key}`;
  }
}
