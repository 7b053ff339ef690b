import type { SetMessage } from '@locks/core';
import { outsideContext } from '@locks/core/adapter';
import type { LockError, TimerHandle } from '@locks/core/adapter';
import { channels, createOwners, defaultLabel, setKey } from '@locks/core/composite';
import { combinedError } from '../members/member-errors.ts';
import { callMembers } from '../members/member-states.ts';
import type { MembersHost } from '../members/member-states.ts';
import type { Member } from '../members/member.ts';
import { delayOf, pace } from './pace.ts';
import { Presence } from './presence.ts';
import { conflictError, emptiedError, twinsError } from './refusals.ts';
import { conflictOf, givesWay, mayBeEmptied, mostStores, presenceLabel, twinsOf } from './store-set.ts';
import type { StoreSet } from './store-set.ts';

/**
 * A presence lasts for so many ms at least, and longer than any lease that this process asks for.
 * With less, processes repeat it more often. With more, those that died keep others away longer.
 */
const shortestTtl = 30_000;
const longestTtl = 172_800_000;
/** It is so many times as long as the longest lease, so that it outlasts one at each repeat. */
const longer = 1.5;
/**
 * For so many ms a conflict may come from a member that lost its data: until then each process has
 * repeated its presence once, and has found that out.
 */
const patience = 2 * pace;

/** A composite, as far as its set is kept. */
export type SetHost = MembersHost & { readonly name: string };

/**
 * Keeps the processes of a composite apart from those of another set of stores. A process announces
 * its set at each member, looks for others after that, and only then grants. So of two processes
 * that meet at a store the later one sees the other. It gives way.
 */
export class SetKeeper {
  readonly #host: SetHost;
  readonly #presences: readonly Presence[];
  /** What the presences are held by, and the set that it tells of. */
  #owner: { readonly name: string; readonly label: string } | undefined = undefined;
  #ttl = shortestTtl;
  #refusal: LockError | undefined = undefined;
  /** Since when it is refused, in ms of the clock. */
  #refusedAt: number | undefined = undefined;
  /** It grants, and its presences have had no gap since. */
  #clear = false;
  /** A first round is over. */
  #decided = false;
  #round: Promise<void> | undefined = undefined;
  #timer: TimerHandle | undefined = undefined;
  /** A member answers again since the last round began. */
  #hurries = false;
  #closed = false;
  readonly #ends = new Set<() => void>();

  constructor(host: SetHost) {
    this.#host = host;
    this.#presences = host.members.map((member) => new Presence(member, host.runtime));
    for (const member of host.members) member.onReturn(() => this.#hurry());
  }

  /**
   * `undefined`: a claim of `ttl` may be asked for now. Otherwise a promise of that, which rejects
   * where another set is in use, or too few members can be asked. `renews`: it is held already.
   */
  ready(ttl: number, renews = false): Promise<void> | undefined {
    if (renews && this.#decided && this.#refusal?.code !== 'LOCK_MISCONFIGURED') return undefined;
    return this.#isReady(ttl) || !this.#applies ? undefined : this.#becomeReady(ttl);
  }

  /** Gives the presences back. */
  close(): void {
    this.#closed = true;
    this.#stopTimer();
    for (const end of this.#ends) end();
    for (const presence of this.#presences) presence.withdraw();
  }

  /** A member without registers has no id, and one without shared mode takes no presence. */
  get #applies(): boolean {
    const { members } = this.#host;
    return (
      members.length <= mostStores &&
      members.every(({ provider }) => provider.register !== undefined && provider.traits.shared)
    );
  }

  #isReady(ttl: number): boolean {
    if (this.#refusal !== undefined) return false;
    let present = 0;
    for (const presence of this.#presences) if (this.#lasts(presence, ttl)) present += 1;
    return present >= this.#host.need;
  }

  #lasts({ until }: Presence, ttl: number): boolean {
    return until >= this.#host.runtime.clock.now() + Math.min(ttl, longestTtl / longer);
  }

  async #becomeReady(ttl: number): Promise<void> {
    this.#ttl = Math.max(this.#ttl, Math.min(Math.ceil(ttl * longer), longestTtl));
    // A round that is under way may have begun with a shorter ttl.
    for (let rounds = 0; rounds < 2 && this.#refusal === undefined && !this.#isReady(ttl); rounds += 1) {
      await this.#begin();
    }
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#closed || this.#isReady(ttl)) return;
    const failures = this.#presences
      .filter((presence) => !this.#lasts(presence, ttl))
      .map(({ member, failure }) => (failure === undefined ? member.noAnswer(setKey) : member.name(failure, setKey)));
    throw combinedError(this.#host, failures, setKey, { nothingLeft: true });
  }

  #begin(): Promise<void> {
    this.#round ??= outsideContext(async () => {
      this.#stopTimer();
      this.#hurries = false;
      try {
        await this.#go();
      } finally {
        this.#round = undefined;
        this.#decided = true;
        if (!this.#closed) this.#arm();
      }
    });
    return this.#round;
  }

  async #go(): Promise<void> {
    // After a gap others may have changed the ids.
    if (!this.#isReady(0)) this.#clear = false;
    await this.#ask(
      (presence) => presence.identify(this.#clear),
      () => true,
    );
    if (this.#refusedAt !== undefined) {
      await this.#ask((presence) => presence.look());
      if (this.#refuseIfLater()) return;
    }
    const owner = this.#ownerOf(this.#set);
    await this.#ask((presence) => presence.announce(owner, this.#ttl));
    this.#conclude();
  }

  #conclude(): void {
    if (this.#closed || this.#refuseIfLater()) return;
    this.#refusal = undefined;
    if (!this.#isReady(0)) return;
    if (this.#refusedAt !== undefined) this.#tell({ event: 'resumed' });
    this.#refusedAt = undefined;
    this.#clear = true;
  }

  get #set(): StoreSet {
    return { need: this.#host.need, stores: this.#presences.map(({ store }) => store) };
  }

  #ownerOf(set: StoreSet): string {
    const label = presenceLabel(defaultLabel(), set);
    if (this.#owner?.label !== label) this.#owner = { label, name: createOwners(this.#host.runtime, label)() };
    return this.#owner.name;
  }

  /** Whether this process gives way to another one. */
  #refuseIfLater(): boolean {
    const { name, members } = this.#host;
    const set = this.#set;
    const twins = twinsOf(set)?.map((index) => members[index] as Member);
    if (twins !== undefined) return this.#refuse(twinsError(name, twins), false);
    let emptied: LockError | undefined;
    for (const { token, seen = [] } of this.#presences) {
      for (const other of seen) {
        const conflict = conflictOf(set, other.set);
        if (conflict === undefined || !givesWay(token, other)) continue;
        const error = conflictError(name, members, set, other, conflict);
        if (!mayBeEmptied(set, other.set)) return this.#refuse(error, false);
        emptied = error;
      }
    }
    return emptied !== undefined && this.#refuse(emptied, true);
  }

  #refuse(error: LockError, isEmptied: boolean): true {
    const now = this.#host.runtime.clock.now();
    this.#refusedAt ??= now;
    const before = this.#refusal?.message;
    this.#refusal = isEmptied && now - this.#refusedAt < patience ? emptiedError(error) : error;
    if (this.#refusal.message !== before) this.#tell({ event: 'refused', error: this.#refusal });
    this.#clear = false;
    this.#owner = undefined;
    for (const presence of this.#presences) presence.withdraw();
    return true;
  }

  #tell(message: Pick<SetMessage, 'event' | 'error'>): void {
    if (channels.set.hasSubscribers) channels.set.publish({ provider: this.#host.name, ...message });
  }

  /** A step of each presence that knows its store, or that is `due`. */
  #ask(step: (presence: Presence) => Promise<void>, due: (presence: Presence) => boolean = isKnown): Promise<void> {
    const { need, timeout } = this.#host;
    const members = this.#presences.filter((each) => !each.busy && due(each)).map(({ member }) => member);
    let succeeded = 0;
    const take = async ({ index }: Member): Promise<void> => {
      const presence = this.#presences[index] as Presence;
      if (await presence.take(step)) succeeded += 1;
      // Later than its round: what it has told counts all the same.
      if (this.#round !== undefined || this.#closed) return;
      this.#conclude();
      this.#arm();
    };
    const end = { isEnough: () => succeeded >= need, limit: timeout / 2, ends: this.#ends };
    return callMembers(this.#host, members, take, end);
  }

  #hurry(): void {
    if (this.#hurries || this.#closed) return;
    this.#hurries = true;
    // Else the end of the round arms the timer.
    if (this.#decided && this.#round === undefined) this.#arm();
  }

  #arm(): void {
    this.#stopTimer();
    const { runtime } = this.#host;
    const isWell =
      this.#refusal === undefined &&
      this.#presences.every(({ failure, until }) => failure === undefined && until > -Infinity);
    const delay = delayOf({ isWell, hurries: this.#hurries, ttl: this.#ttl }, runtime.random());
    this.#timer = runtime.setTimer(
      () => {
        this.#timer = undefined;
        if (this.#applies) void this.#begin();
      },
      delay,
      false,
    );
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) this.#host.runtime.clearTimer(this.#timer);
    this.#timer = undefined;
  }
}

/** Its label tells all stores that are known: it begins with the id of its own. */
function isKnown({ store }: Presence): boolean {
  return store !== undefined;
}
