import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '../../contract.ts';
import { LockError } from '../../errors/lock-error.ts';
import { AbortFollowers } from '../../locks/ending/abort-followers.ts';
import type { Runtime } from '../../time/runtime.ts';
import { settledWithin } from '../../time/settled-within.ts';
import { TimerWheel } from '../../time/timer-wheel.ts';
import { ClaimsByOwner } from '../claims-by-owner.ts';
import { CombinedClaim } from '../claim/combined-claim.ts';
import type { KeptHold } from '../claim/combined-claim.ts';
import type { ClaimHost, HostedClaim } from '../claim/claim-host.ts';
import { combineStates, holdsByOwner, isEnough, isKnown } from '../members/key-states.ts';
import type { MemberHold } from '../members/key-states.ts';
import { combinedError } from '../members/member-errors.ts';
import { callMember } from '../members/member-answers.ts';
import { readStates } from '../members/member-states.ts';
import type { MemberStates } from '../members/member-states.ts';
import { CommonFloor } from '../members/common-floor.ts';
import { Member } from '../members/member.ts';
import type { CombineRules } from './options.ts';
import { timeOf } from '../members/time-of.ts';
import { combinedTraits } from './traits.ts';

/** What a composite is made of. */
export interface CombinedParts extends CombineRules {
  readonly providers: readonly LockProvider[];
}

/**
 * The longest owner that a composite takes: members get it with a suffix, and take 250 characters.
 */
export const longestOwner = 200;

/**
 * The last releases have so many ms to go out before members close. With less, one that stands
 * still may get an attempt without them. With more, `close` takes longer beside such a member.
 */
const sending = 10;

/** Several providers as one: a claim is held when `need` of them granted it. */
export class CombinedProvider implements LockProvider, ClaimHost {
  readonly name = 'combine';
  readonly traits: Traits;
  readonly members: readonly Member[];
  readonly need: number;
  readonly fencing: boolean;
  readonly memberTimeout: number;
  readonly timeout: number;
  readonly runtime: Runtime;
  readonly timers: TimerWheel;
  readonly signals: AbortFollowers = new AbortFollowers();
  readonly list?: (prefix: string) => AsyncIterable<string>;
  readonly time?: () => Promise<number>;
  readonly #floor: CommonFloor;
  readonly #claims = new ClaimsByOwner<CombinedClaim>();
  /** How many claims of this process wait, by key. */
  readonly #waiting = new Map<string, Set<HostedClaim>>();
  #numbers = 0;
  #closing: Promise<void> | undefined = undefined;

  constructor({ providers, need, memberTimeout, timeout, fencing, runtime }: CombinedParts) {
    this.traits = combinedTraits(providers, { need, fencing });
    this.members = providers.map((each, index) => new Member(this.name, each, index, providers.length, runtime));
    this.need = need;
    this.fencing = fencing;
    this.memberTimeout = memberTimeout;
    // A call may give votes back at its end, which takes one member timeout more.
    this.timeout = timeout - memberTimeout;
    this.runtime = runtime;
    this.timers = new TimerWheel(runtime, false);
    this.#floor = new CommonFloor(this.members, runtime.clock);
    if (providers.every(({ time }) => time !== undefined)) this.time = () => timeOf(this.name, providers);
    if (providers.every(({ list }) => list !== undefined)) this.list = (prefix) => this.#list(prefix);
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    try {
      this.#checkOpen();
      this.#check(claim);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#claims.getOrMake(claim.owner, () => new CombinedClaim(this, claim)).tryAcquire(claim, wake);
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    this.#checkOpen();
    const known = await this.#find(claim, true);
    return known === undefined ? false : await known.renew(claim, token);
  }

  release(claim: Claim): Promise<boolean> {
    const known = this.#closing === undefined ? this.#claims.get(claim.owner) : undefined;
    return known === undefined ? this.#releaseFound(claim) : known.release();
  }

  async inspect(key: string): Promise<KeyState> {
    this.#checkOpen();
    return combineStates(key, (await readStates(this, key)).states, this.need);
  }

  // For a migration, whose claims are not always taken in all members.

  /**
   * A claim that the members hold already, under these owners. `token`: the lease's, if that is
   * lower than theirs. Gives what aborts when the lease has ended with a session.
   */
  adopt(claim: Claim, holds: readonly MemberHold[], token?: bigint): AbortSignal | undefined {
    const adopted = new CombinedClaim(this, claim);
    this.#claims.add(adopted);
    return adopted.adopt(holds, token);
  }

  /** Gives up all that the claim has, but the hold of `kept`. Gives that as `kept` knows it. */
  surrender({ owner }: Claim, kept?: number): KeptHold | undefined {
    return this.#forget(owner)?.surrender(kept);
  }

  /** A claim that waits in the first member's line already, under this owner. */
  adoptPlace(claim: Claim, owner: string, sentAt: number, uncertain: boolean): void {
    const adopted = new CombinedClaim(this, claim);
    adopted.adoptPlace(owner, sentAt, uncertain);
    this.#claims.add(adopted);
    this.changed(adopted);
  }

  /** Gives up all but a place in the first member's line. Gives the owner that has it there. */
  surrenderPlace({ owner }: Claim): string | undefined {
    return this.#forget(owner)?.surrenderPlace();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  // What claims share.

  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  floor(): bigint | undefined {
    return this.#floor.now();
  }

  isCrowded(key: string): boolean {
    return this.#waiting.has(key);
  }

  changed(claim: HostedClaim): void {
    this.#countWaiting(claim);
    if (claim.isEmpty) this.#claims.delete(claim);
  }

  /** How many claims and waiting keys it knows: none, when all is released. */
  get size(): number {
    return this.#claims.size + this.#waiting.size;
  }

  #countWaiting(claim: HostedClaim): void {
    const { key } = claim;
    const waiting = this.#waiting.get(key);
    if (claim.waiting) {
      if (waiting === undefined) this.#waiting.set(key, new Set([claim]));
      else waiting.add(claim);
    } else if (waiting?.delete(claim) === true && waiting.size === 0) this.#waiting.delete(key);
  }

  #forget(owner: string): CombinedClaim | undefined {
    const known = this.#claims.get(owner);
    if (known !== undefined) this.#claims.delete(known);
    return known;
  }

  /**
   * The claim, which another process may have taken. `certain`: rejects where too few members tell
   * whether the claim is held, instead of saying that it is not.
   */
  #find(claim: Claim, certain = false): Promise<CombinedClaim | undefined> {
    const find = async (): Promise<readonly MemberHold[] | undefined> => {
      const { key, owner } = claim;
      const holdsIn = (told: MemberStates['states']): readonly MemberHold[] => holdsByOwner(told).get(owner) ?? [];
      const isDecided = (told: MemberStates['states']): boolean => !certain || isKnown(told, holdsIn(told), this.need);
      const { states, failures } = await readStates(this, key, isDecided);
      if (!isDecided(states)) throw combinedError(this, failures, key);
      const holds = holdsIn(states);
      return isEnough(holds, this.need) ? holds : undefined;
    };
    return this.#claims.getOrAdopt(claim.owner, find, (holds) => {
      const found = new CombinedClaim(this, claim);
      found.adoptFound(holds);
      return found;
    });
  }

  async #releaseFound(claim: Claim): Promise<boolean> {
    this.#checkOpen();
    const found = await this.#find(claim);
    return found === undefined ? false : await found.release();
  }

  async *#list(prefix: string): AsyncIterable<string> {
    this.#checkOpen();
    const seen = new Set<string>();
    const failures: LockError[] = [];
    for (const member of this.members) {
      try {
        for await (const key of member.provider.list?.(prefix) ?? []) {
          if (seen.has(key)) continue;
          seen.add(key);
          yield key;
        }
      } catch (error) {
        failures.push(member.name(error, prefix));
      }
    }
    // A key that `need` members have may be in their lists alone.
    if (failures.length >= this.need) {
      throw combinedError(this, failures, prefix);
    }
  }

  async #close(): Promise<void> {
    const { members } = this;
    const claims = this.#claims.values();
    for (const claim of claims) claim.close(this.#closedError());
    await Promise.all(members.map((member) => this.#finish(member)));
    for (const { releases } of members) {
      releases.sendNow();
      releases.stop();
    }
    // A client that sends at the end of a tick has sent the last releases then.
    const finished = Promise.all(members.map(({ releases }) => releases.finished()));
    await settledWithin(this.runtime, sending, finished);
    const closed = await Promise.allSettled(members.map(({ provider }) => callMember(() => provider.close())));
    for (const claim of claims) queueMicrotask(() => claim.wakeUp());
    this.#claims.clear();
    this.#waiting.clear();
    this.timers.stop();
    const failed = closed.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  /**
   * What a member keeps may block others until its ttl. One that does not answer costs little time.
   */
  async #finish(member: Member): Promise<void> {
    const { runtime, timeout, memberTimeout } = this;
    const finished = member.releases.finished();
    await settledWithin(runtime, memberTimeout, finished);
    if (member.answers) await settledWithin(runtime, timeout / 2, finished);
  }

  #check({ owner, mode, key }: Claim): void {
    if (owner.length > longestOwner) {
      const message = `An owner of a composite has at most ${longestOwner} characters, not ${owner.length}.`;
      throw new LockError('LOCK_INVALID', message, { key });
    }
    if (mode === 'shared' && !this.traits.shared) {
      const why =
        this.need < this.members.length ? 'Permits do not survive majorities' : 'Not all of its members support it';
      const message = `The ${this.name} provider has no shared mode. ${why}: use need: "all", or exclusive claims.`;
      throw new LockError('LOCK_INVALID', message, { key });
    }
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw this.#closedError();
  }

  #closedError(): LockError {
    return new LockError('LOCK_CLOSED', `The ${this.name} provider is closed.`);
  }
}
