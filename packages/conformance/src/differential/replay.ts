import type { Grant, LockProvider } from '@locks/core';
import { emptyRecord, isLockError } from '@locks/core/adapter';
import type { Hold, KeyCall, KeyRecord, KeyRules, Place, step } from '@locks/core/adapter';
import { claimOf, isGrant, otherMode, lastingCall, termsOf, tokenOf, traceOf } from './claims.ts';
import type { RunningParty } from './claims.ts';
import { differenceOf, inWords } from './compare.ts';
import type { Closeness } from './compare.ts';
import type { Difference, DifferentialTime } from './options.ts';
import type { Action, Plan } from './plan.ts';

/** What sequences are run with. */
export interface Bench {
  /** One for each party, all with the rules of the plan. */
  readonly providers: readonly LockProvider[];
  readonly time: DifferentialTime;
  readonly margin: number;
  readonly close: Closeness;
  /** The ttl of a claim ends nothing. */
  readonly lasting: boolean;
  readonly assigns: ((head: Place<unknown>) => boolean) | undefined;
  readonly step: typeof step;
  /** A key that no other sequence has. */
  readonly key: string;
}

/** How a sequence ended. */
export type Ending =
  | { readonly ended: 'agreed'; readonly calls: number }
  | { readonly ended: 'abandoned'; readonly calls: number }
  | { readonly ended: 'differed'; readonly calls: number; readonly difference: Difference };

/** A claim that hears nothing of its turn for longer than this, in ms, is not woken. */
const wakeWithin = 5_000;

/** Sends the calls of `plan` to the providers, and gives them to the rules, until they differ. */
export async function replay(plan: Plan, bench: Bench): Promise<Ending> {
  const sequence = new Sequence(plan, bench);
  for (const action of plan.actions) {
    const ending = await sequence.run(action);
    if (ending === 'abandoned') return { ended: ending, calls: sequence.calls };
    if (ending !== undefined) return { ended: 'differed', calls: sequence.calls, difference: ending };
  }
  return { ended: 'agreed', calls: sequence.calls };
}

class Sequence {
  calls = 0;
  readonly #plan: Plan;
  readonly #bench: Bench;
  readonly #parties: readonly RunningParty[];
  readonly #rules: KeyRules;
  readonly #trace: string[] = [];
  #record: KeyRecord = emptyRecord();
  /** How long the longest call took, in ms. */
  #slack = 0;
  /** The store's clock decides how high a token is. So the rules take what the store gave. */
  #leastToken = 0;

  constructor(plan: Plan, bench: Bench) {
    this.#plan = plan;
    this.#bench = bench;
    this.#parties = plan.parties.map((planned, index) => {
      const party: RunningParty = {
        ...planned,
        owner: `party-${index}/${bench.key}`,
        provider: bench.providers[index] as LockProvider,
        wake: () => (party.woken = true),
        woken: false,
        waits: false,
        gone: false,
      };
      return party;
    });
    this.#rules = {
      ...plan.rules,
      ...(bench.lasting && { waiterTtl: Infinity }),
      leastToken: () => this.#leastToken,
      assigns: bench.assigns,
    };
  }

  /** `undefined`: the answers are the same, or there is nothing to compare. */
  async run(action: Action): Promise<Difference | 'abandoned' | undefined> {
    if (action.op === 'sleep') {
      this.#trace.push(`pause of ${action.ms} ms`);
      await this.#bench.time.sleep(action.ms);
      return undefined;
    }
    if (action.op === 'time') return await this.#compareTime(this.#provider(action.via));
    if (action.op === 'inspect') {
      const provider = this.#provider(action.via);
      return await this.#compare({ op: 'inspect' }, undefined, () => provider.inspect(this.#bench.key));
    }
    const party = this.#parties[action.who] as RunningParty;
    // Core uses no owner again after its release, and renews what an attempt was answered with.
    if (party.gone || (action.op === 'renew' && this.#holdOf(party)?.assigned)) return undefined;
    if (action.op === 'acquire') return await this.#acquire(party, action);
    const hold = this.#holdOf(party);
    const claim = claimOf(party, this.#bench.key, hold === undefined ? {} : termsOf(hold));
    if (action.op === 'renew') {
      const own = hold?.token ?? this.#record.token;
      const token = action.token === undefined || own === 0 ? undefined : BigInt(own + action.token);
      const renewed = { ...claim, ttl: action.ttl };
      return await this.#compare({ op: 'renew', claim: renewed, token }, party, () =>
        party.provider.renew(renewed, token),
      );
    }
    party.gone = true;
    const forced = hold !== undefined && !hold.assigned;
    const provider = forced ? this.#provider(action.via) : party.provider;
    return await this.#compare({ op: 'release', claim }, party, () => provider.release(claim));
  }

  async #acquire(
    party: RunningParty,
    action: Action & { readonly op: 'acquire' },
  ): Promise<Difference | 'abandoned' | undefined> {
    const hold = this.#holdOf(party);
    const { waits } = action;
    const floor = action.floor === undefined ? {} : { floor: BigInt(Math.max(0, this.#record.token + action.floor)) };
    const claim = claimOf(party, this.#bench.key, {
      ...(action.converts && hold?.assigned === false ? otherMode(hold, party) : party.wish),
      ...floor,
    });
    party.woken = false;
    const call: KeyCall = { op: 'acquire', claim, contact: waits ? party.owner : undefined };
    const wake = waits ? party.wake : undefined;
    return await this.#compare(call, party, () => party.provider.tryAcquire(claim, wake));
  }

  async #compare(
    call: KeyCall,
    party: RunningParty | undefined,
    send: () => Promise<unknown>,
  ): Promise<Difference | 'abandoned' | undefined> {
    const { time, close } = this.#bench;
    const sent = time.now();
    const answer = await send().catch((error: unknown) => error);
    const answered = time.now();
    this.calls += 1;
    if (isLockError(answer, 'LOCK_UNAVAILABLE') || this.#isUndecided(sent, answered)) return 'abandoned';
    this.#slack = Math.max(this.#slack, answered - sent);
    const { record: before } = this.#bench.step(this.#record, { op: 'inspect' }, sent, this.#rules);
    this.#leastToken = tokenOf(answer);
    const toldByMessage = party !== undefined && this.#learn(call, before, party, answer, sent);
    const after = toldByMessage
      ? { record: before, answer: answer as Grant }
      : this.#bench.step(before, this.#bench.lasting ? lastingCall(call) : call, sent, this.#rules);
    this.#record = after.record;
    this.#trace.push(`${traceOf(call)} → ${inWords(answer)}`);
    const what = differenceOf(call.op, answer, after.answer, after.record, {
      ...close,
      remaining: close.remaining + this.#slack,
    });
    if (what !== undefined) return this.#difference(what, call, before, answer, after.answer);
    if (party !== undefined && call.op === 'acquire' && 'granted' in Object(answer)) {
      const busy = !(answer as Grant).granted;
      party.waits = busy && (call.contact !== undefined || party.waits);
    }
    // They change nothing, and a head knows from `retryAfter` when a hold ends.
    const quiet = call.op === 'inspect' || answer instanceof Error;
    if (quiet || (await this.#turnsAreTold(party))) return undefined;
    return this.#difference('wake', call, before, answer, after.answer);
  }

  /**
   * Something ends while the call is under way, as far as is known. The store may have begun to
   * count anywhere within an earlier call.
   */
  #isUndecided(sent: number, answered: number): boolean {
    const { margin } = this.#bench;
    if (margin === 0) return false;
    const ends = [...this.#record.holds, ...this.#record.queue];
    return ends.some(({ until }) => until <= answered + margin && until + this.#slack > sent - margin);
  }

  /**
   * The token of an assigned hold is known when an attempt is answered with it. Returns whether the
   * store was not asked, as a message had told the grant before: then the ttl goes on.
   */
  #learn(call: KeyCall, before: KeyRecord, party: RunningParty, answer: unknown, sent: number): boolean {
    const hold = before.holds.find(({ owner }) => owner === party.owner);
    if (call.op !== 'acquire' || hold?.assigned !== true || !isGrant(answer)) return false;
    const { floor = -1n } = call.claim;
    const told = Number(answer.token);
    if (told < hold.token || answer.token <= floor) return false;
    const raised = floor >= BigInt(hold.token);
    // A store that was asked may give a validity, too: that of a hold that begins anew.
    const left = hold.until - sent + this.#slack + this.#bench.margin;
    const byMessage = answer.validity !== undefined && answer.validity <= left;
    if (!raised || byMessage) {
      hold.token = told;
      before.token = Math.max(before.token, told);
    }
    if (!byMessage) return false;
    hold.assigned = false;
    return true;
  }

  /** Whether each claim that waits and whose turn it is was woken, apart from the caller. */
  async #turnsAreTold(caller: RunningParty | undefined): Promise<boolean> {
    const { time, margin } = this.#bench;
    const turn = this.#parties.find(
      (one) => one !== caller && one.waits && !one.gone && !one.woken && this.#isTurnOf(one),
    );
    if (turn === undefined) return true;
    // Virtual time needs no more than that the microtasks end.
    const pause = margin === 0 ? 0 : 5;
    for (let waited = 0; waited <= wakeWithin && !turn.woken; waited += 5) await time.sleep(pause);
    return turn.woken;
  }

  #isTurnOf(party: RunningParty): boolean {
    const { holds, queue } = this.#record;
    if (this.#holdOf(party)?.assigned) return true;
    const head = queue[0];
    if (head?.owner !== party.owner) return false;
    const any = holds[0];
    const room = head.mode === 'shared' && any?.mode === 'shared' && holds.length < (head.permits ?? Infinity);
    return any === undefined || room;
  }

  async #compareTime(provider: LockProvider): Promise<Difference | 'abandoned' | undefined> {
    const answer = await provider.time?.().catch((error: unknown) => error);
    if (isLockError(answer, 'LOCK_UNAVAILABLE')) return 'abandoned';
    this.calls += 1;
    this.#trace.push(`time → ${inWords(answer)}`);
    // 2020 to 2100: what else it is, only its own clock knows.
    if (typeof answer === 'number' && answer > 1.577e12 && answer < 4.1e12) return undefined;
    return this.#difference('time', undefined, this.#record, answer, undefined);
  }

  #difference(
    what: Difference['what'],
    call: KeyCall | undefined,
    before: KeyRecord,
    answer: unknown,
    expected: Difference['expected'],
  ): Difference {
    const { seed, rules } = this.#plan;
    this.#trace.push(`the rules have it otherwise (${what}): ${inWords(expected)}`);
    return { what, seed, rules, call, before, answer, expected, trace: this.#trace };
  }

  #holdOf({ owner }: RunningParty): Hold | undefined {
    const now = this.#bench.time.now();
    return this.#record.holds.find((hold) => hold.owner === owner && hold.until > now);
  }

  #provider(index: number): LockProvider {
    return this.#bench.providers[index] as LockProvider;
  }
}
