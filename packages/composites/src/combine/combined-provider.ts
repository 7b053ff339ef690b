import type { Busy, Claim, Grant, KeyState, LockProvider, RegisterChange, Renewal, Traits } from '@locks/core';
import { LockError, providerClosed } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { AbortFollowers, TimerWheel, printAsProvider } from '@locks/core/composite';
import { ClaimsByOwner } from '../claims-by-owner.ts';
import { CombinedClaim } from '../claim/combined-claim.ts';
import type { ClaimHost, HostedClaim } from '../claim/claim-host.ts';
import { combineStates, holdsByOwner, isEnough, isKnown } from '../members/key-states.ts';
import type { MemberHold, ToldState } from '../members/key-states.ts';
import { closeMembers } from '../members/close-members.ts';
import { listKeys } from '../members/list-keys.ts';
import { combinedError, errorOfAll } from '../members/member-errors.ts';
import { failuresOf, readStates } from '../members/member-states.ts';
import { commonFloor } from '../members/common-floor.ts';
import { Member, memberError, memberTitle } from '../members/member.ts';
import { Silences } from '../members/silences.ts';
import { SetKeeper } from '../set/set-keeper.ts';
import { combinedRegister } from './combined-register.ts';
import type { RegisterHost } from './combined-register.ts';
import type { CombineRules } from './options.ts';
import { combinedTraits } from './traits.ts';

type Told = readonly (ToldState | undefined)[];

export interface CombinedParts extends CombineRules {
  readonly providers: readonly LockProvider[];
  /** Members are asked for votes only if their registers contain this set. @default false */
  readonly keepsSet?: boolean;
  /** For messages. @default 'combine' */
  readonly name?: string;
  /** What messages call the members. @default as in "member 2 of 3 (redis)" */
  readonly titles?: readonly string[];
}

/** The longest owner of a composite: members get it with a suffix, and accept 250 characters. */
const longestOwner = 200;

/** Several providers as one: a claim is held when `need` of them granted it. */
export class CombinedProvider implements LockProvider, ClaimHost, RegisterHost {
  readonly name: string;
  readonly traits: Traits;
  readonly members: readonly Member[];
  readonly need: number;
  readonly fencing: boolean;
  readonly memberTimeout: number;
  readonly timeout: number;
  readonly runtime: Runtime;
  readonly timers: TimerWheel;
  readonly silences: Silences;
  readonly signals: AbortFollowers = new AbortFollowers();
  readonly list?: (prefix: string) => AsyncIterable<string>;
  readonly time?: () => Promise<number>;
  readonly register?: (name: string, change?: RegisterChange) => Promise<string | undefined>;
  readonly floor: () => bigint | undefined;
  readonly #set: SetKeeper | undefined;
  readonly #claims = new ClaimsByOwner<CombinedClaim>();
  /** How many claims of this process wait, by key. */
  readonly #waiting = new Map<string, Set<HostedClaim>>();
  #numbers = 0;
  #closing: Promise<void> | undefined = undefined;

  constructor(parts: CombinedParts) {
    const { providers, need, memberTimeout, timeout, fencing, runtime, name, titles = [], keepsSet = false } = parts;
    this.name = name ?? 'combine';
    printAsProvider('CombinedProvider', this);
    this.traits = combinedTraits(providers, { need, fencing });
    this.members = providers.map((each, index) => {
      const title = titles[index] ?? memberTitle(index, providers.length, each.name);
      return new Member(this.name, each, index, title, runtime);
    });
    this.need = need;
    this.fencing = fencing;
    this.memberTimeout = memberTimeout;
    // A call may return votes at its end, which takes one more member timeout.
    this.timeout = timeout - memberTimeout;
    this.runtime = runtime;
    this.timers = new TimerWheel(runtime, false);
    this.silences = new Silences(this.timers, runtime.clock, memberTimeout);
    this.floor = commonFloor(this.members, runtime.clock);
    this.#set = keepsSet ? new SetKeeper(this) : undefined;
    if (providers.every(({ time }) => time !== undefined)) this.time = () => this.#time();
    if (providers.every(({ list }) => list !== undefined)) this.list = (prefix) => this.#list(prefix);
    if (need > providers.length / 2 && providers.every(({ register }) => register !== undefined)) {
      this.register = (...call) => this.#register(...call);
    }
  }

  async tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    this.#checkOpen();
    this.#check(claim);
    return await this.#claims.getOrMake(claim.owner, () => new CombinedClaim(this, claim)).tryAcquire(claim, wake);
  }

  async renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    this.#checkOpen();
    const [known] = await Promise.all([this.#find(claim, true), this.#set?.ready(claim.key, true)]);
    return known === undefined ? false : await known.renew(claim, token);
  }

  async release(claim: Claim): Promise<boolean> {
    this.#checkOpen();
    const known = this.#claims.get(claim.owner) ?? (await this.#find(claim));
    return known === undefined ? false : await known.release();
  }

  async inspect(key: string): Promise<KeyState> {
    this.#checkOpen();
    return combineStates(key, await readStates(this, key), this.need);
  }

  /** The members that do not answer, if the others are too few. */
  outage(): unknown {
    const { members, need } = this;
    const failing = members.filter(({ answers }) => !answers);
    if (members.length - failing.length >= need) return undefined;
    const failures = failing.map(({ title, trouble }) => memberError(title, trouble));
    const what = `${failing.length} of ${members.length} members do not answer, and ${need} are needed.`;
    return errorOfAll('LOCK_UNAVAILABLE', what, failures);
  }

  /**
   * Drops the claim, and returns it, so that a migration can continue to report what is returned.
   */
  forget({ owner }: Claim): CombinedClaim | undefined {
    const known = this.#claims.get(owner);
    if (known !== undefined) this.#claims.delete(known);
    return known;
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

  ready(key: string): Promise<void> | undefined {
    return this.#set?.ready(key)?.then(() => this.#checkOpen());
  }

  admit(member: Member): Promise<void> | undefined {
    return this.#set?.admit(member);
  }

  isNew(member: Member): boolean {
    return this.#set?.isNew(member) ?? false;
  }

  isCrowded(key: string): boolean {
    return this.#waiting.has(key);
  }

  changed(claim: HostedClaim): void {
    const { key } = claim;
    const waiting = this.#waiting.get(key);
    if (claim.waiting) this.#waiting.set(key, (waiting ?? new Set()).add(claim));
    else if (waiting?.delete(claim) === true && waiting.size === 0) this.#waiting.delete(key);
    if (claim.isEmpty) this.#claims.delete(claim);
  }

  /** How many claims and waiting keys it knows: none after all were released. */
  get size(): number {
    return this.#claims.size + this.#waiting.size;
  }

  /**
   * The claim, perhaps of another process. `certain`: rejects if too few members report whether the
   * claim is held, instead of assuming that it is not.
   */
  #find(claim: Claim, certain = false): Promise<CombinedClaim | undefined> {
    const find = async (): Promise<readonly MemberHold[] | undefined> => {
      const { key, owner } = claim;
      const holdsIn = (told: Told): readonly MemberHold[] => holdsByOwner(told).get(owner) ?? [];
      const isDecided = (told: Told): boolean => !certain || isKnown(told, holdsIn(told), this.need);
      const states = await readStates(this, key, isDecided);
      if (!isDecided(states)) throw combinedError(this, failuresOf(states), key);
      const holds = holdsIn(states);
      return isEnough(holds, this.need) ? holds : undefined;
    };
    return this.#claims.getOrAdopt(claim.owner, find, (holds) => {
      const found = new CombinedClaim(this, claim);
      found.adopt(holds);
      return found;
    });
  }

  /** The time of the member that answers first: the clocks of servers differ little. */
  async #time(): Promise<number> {
    const ask = async ({ provider }: Member): Promise<number> => (await provider.time?.()) ?? Number.NaN;
    try {
      return await Promise.any(this.members.map(ask));
    } catch (error) {
      throw new LockError('LOCK_UNAVAILABLE', `No member of ${this.name} returned its time.`, { cause: error });
    }
  }

  async #register(name: string, change?: RegisterChange): Promise<string | undefined> {
    this.#checkOpen();
    return await combinedRegister(this, name, change);
  }

  async *#list(prefix: string): AsyncIterable<string> {
    this.#checkOpen();
    yield* listKeys(this, prefix);
  }

  async #close(): Promise<void> {
    const claims = this.#claims.values();
    for (const member of this.members) member.closing();
    for (const claim of claims) claim.close(providerClosed(this.name));
    this.#set?.close();
    try {
      await closeMembers(this);
    } finally {
      for (const claim of claims) queueMicrotask(() => claim.wakeUp());
      this.#claims.clear();
      this.#waiting.clear();
      this.timers.stop();
    }
  }

  #check(claim: Claim): void {
    const { key, mode } = claim;
    checkClaim('composite', claim);
    if (mode !== 'shared' || this.traits.shared) return;
    const why =
      this.need < this.members.length ? 'A majority cannot enforce permits' : 'Not all of its members support it';
    const message = `The ${this.name} provider has no shared mode. ${why}: use need: "all", or exclusive claims.`;
    throw new LockError('LOCK_INVALID', message, { key });
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw providerClosed(this.name);
  }
}

/** Refuses an invalid owner or key. `reserved`: the key is the composite's own. */
export function checkClaim(what: 'composite' | 'migration', { owner, key }: Claim, reserved = false): void {
  const invalid = (message: string): LockError => new LockError('LOCK_INVALID', message, { key });
  if (owner.length > longestOwner) {
    throw invalid(`An owner of a ${what} has at most ${longestOwner} characters, not ${owner.length}.`);
  }
  if (reserved) throw invalid(`The key ${JSON.stringify(key)} is one of the ${what} itself. Lock another key.`);
}
