import type { RegisterChange } from '@locks/core';
import { LockError, pause } from '@locks/core/adapter';
import { following, promise, readVersioned, taken } from '@locks/core/composite';
import type { VersionedText } from '@locks/core/composite';
import { callMember } from '../members/member-answers.ts';
import { combinedError } from '../members/member-errors.ts';
import { callMembers } from '../members/member-states.ts';
import type { MembersHost } from '../members/member-states.ts';
import type { Member } from '../members/member.ts';
import { setRegister } from '../set/set-record.ts';
import { applies, checkComposed, latestOf, settledOf, wasMade } from './register-votes.ts';

/** A composite, as seen by its registers. */
export interface RegisterHost extends MembersHost {
  /** `undefined`: the members are those of their quorum. Otherwise resolves when they are. */
  ready(name: string): Promise<void> | undefined;
  /** `undefined`: what `member` has counts now. Otherwise resolves when it does. */
  admit(member: Member): Promise<void> | undefined;
  /** It was added by the last change of the members, so it may lack what those have. */
  isNew(member: Member): boolean;
}

/** The registers of the members, by index. `undefined`: no answer. */
type Votes = (VersionedText | undefined)[];

/** The quorum of members that are composites is not that of their own members. */
const ofQuorums = new RegExp(`^(?:members/)*${setRegister}$`);
const nothing = readVersioned(undefined);
/** More makes it less likely that two processes mistake each other's promises. */
const tagLength = 4;
/** Its name in messages. */
const what = 'a register';
/**
 * In ms: conflicting processes retry after a random time up to this, doubled each time. With less
 * they conflict again. With more a change takes longer.
 */
const firstPause = 10;
const longestPause = 320;

/** How often it may be unknown what is settled. More makes a call that rejects take longer. */
const mostUnknown = 3;

/**
 * A register over several members, by CASPaxos (Rystsov, 2018). A change first requests promises to
 * accept no lower version, and then sends its text to the members. What `need` members have in one
 * version is settled. Rejects if that is not known after `host.timeout` ms.
 */
export async function combinedRegister(
  host: RegisterHost,
  name: string,
  change: RegisterChange | undefined,
): Promise<string | undefined> {
  checkComposed(name, change);
  await host.ready(name);
  const { runtime, timeout, need } = host;
  const { clock } = runtime;
  const end = clock.now() + timeout;
  /** The version that a member had promised to another process. */
  let seen = 0;
  /** The versions in which the change was proposed. */
  const own: number[] = [];
  for (let [tries, longest] = [1, firstPause]; ; tries += 1, longest = Math.min(2 * longest, longestPause)) {
    const began = clock.now();
    const round = new Round(host, ofQuorums.test(name) ? `members/${name}` : name, end);
    if (!(await round.readAll())) {
      // One that had nothing may have been asked before a first text, which others got later.
      if (round.told.length < need || tries >= mostUnknown) throw round.unknown();
      await pause(runtime, runtime.random() * longest);
      continue;
    }
    const settled = settledOf(round.told, need);
    const { underWay } = round;
    const isOver = settled !== undefined && !(change && applies(change, settled.value));
    if (!isOver && underWay > seen && clock.now() < end) {
      // Another process may be done soon. If it has died, this process waits for it only once.
      seen = underWay;
      if (own.length === 0) await pause(runtime, runtime.random() * Math.max(firstPause, 3 * (clock.now() - began)));
      continue;
    }
    // A member that has nothing gets the text: it is new, or lost its data.
    const { length } = own;
    const made = isOver && !round.hasEmpty ? settled : await round.propose(change, own);
    const found = made ?? (isOver ? settled : undefined);
    if (found !== undefined) return outcomeOf(change, own, found);
    if (clock.now() + longest >= end) throw new LockError('LOCK_UNAVAILABLE', contended);
    // The result of its own proposal can be read for a short time.
    if (own.length === length) await pause(runtime, runtime.random() * longest);
  }
}

/** The value of the register, if the caller's change was not made. */
function outcomeOf(
  change: RegisterChange | undefined,
  own: readonly number[],
  found: VersionedText,
): string | undefined {
  if (change === undefined || found.value === change.to) return found.value;
  const made = wasMade(own, found);
  if (made === undefined) throw new LockError('LOCK_UNAVAILABLE', contended);
  return made ? change.to : found.value;
}

const contended = 'Other processes kept changing a register, so the result of this change is unknown. Try again.';

/** One try: reads the members, and may request promises and send a text. */
class Round {
  readonly #host: RegisterHost;
  readonly #name: string;
  /** In ms of the clock. */
  readonly #end: number;
  readonly #votes: Votes;

  constructor(host: RegisterHost, name: string, end: number) {
    this.#host = host;
    this.#name = name;
    this.#end = end;
    this.#votes = host.members.map(() => undefined);
  }

  get told(): readonly VersionedText[] {
    return this.#votes.filter((vote) => vote !== undefined);
  }

  /** The highest version that a member has promised and not accepted. 0: none. */
  get underWay(): number {
    return Math.max(0, ...this.told.map(({ promised, version }) => (promised > version ? promised : 0)));
  }

  /** `false`: it is unknown what is settled. */
  async readAll(): Promise<boolean> {
    await this.#ask(this.#host.members, () => this.#isKnown);
    return this.#isKnown;
  }

  unknown(): LockError {
    const counted = new Set(this.#counted);
    const unknown = this.#host.members.filter((member) => !counted.has(member));
    const failures = unknown.map((member) =>
      this.#votes[member.index] === undefined
        ? member.noAnswer(what)
        : member.name(new Error('it has no copy: it is new, or lost its data.'), what),
    );
    return combinedError(this.#host, failures, what);
  }

  /** A member has nothing, and another one has a text. */
  get hasEmpty(): boolean {
    return this.told.some(({ promised }) => promised < 0) && this.told.some(({ version }) => version > 0);
  }

  /**
   * Resolves to what was settled. `undefined`: another process conflicted. `own` gets the version
   * of the proposal.
   */
  async propose(change: RegisterChange | undefined, own: number[]): Promise<VersionedText | undefined> {
    const { need, runtime } = this.#host;
    const plain = this.told.filter(({ version }) => version === 0).length;
    // A process that uses one store alone may change a text without a version.
    const named = (vote: VersionedText): string | undefined =>
      vote.version === 0 ? following(vote, vote.value) : undefined;
    if (plain > 0 && (await this.#change(named)) < plain) return undefined;
    const latest = latestOf(this.told) ?? nothing;
    const version = Math.max(0, ...this.told.map(({ promised }) => promised)) + 1;
    const tag = runtime.uniqueId().slice(-tagLength);
    const isChange = change !== undefined && applies(change, latest.value);
    const changed = { origin: version, before: Math.max(latest.origin, 0), value: change?.to };
    const text = taken({ ...latest, ...(isChange && changed), version });
    const counted = new Set(this.#counted);
    // One that lost its data has lost its promises. It gets a text when the others promised.
    const isAsked = (member: Member): boolean => counted.size < need || counted.has(member);
    const kept = (vote: VersionedText): VersionedText => (vote.promised <= latest.version ? latest : vote);
    const promised = await this.#change((vote, member) =>
      isAsked(member) ? promise(version, tag, kept(vote)) : undefined,
    );
    if (promised < need) return undefined;
    if (isChange) own.push(version);
    const took = await this.#change((vote) => (vote.promised <= version ? text : undefined));
    return took < need ? undefined : readVersioned(text);
  }

  /**
   * What was settled last is known: enough members have a text, so one of them has it. A member
   * without one may have lost its data. Beside one with a text it proves nothing, unless it is new.
   */
  get #isKnown(): boolean {
    return this.told.length === this.#host.members.length || this.#counted.length >= this.#host.need;
  }

  get #counted(): readonly Member[] {
    const isText = this.told.some(({ version }) => version >= 0);
    return this.#host.members.filter((member) => {
      const vote = this.#votes[member.index];
      return vote !== undefined && (vote.promised >= 0 || this.#host.isNew(member) === isText);
    });
  }

  /** Changes the texts of members that answered. Returns how many have the new one. */
  async #change(textFor: (vote: VersionedText, member: Member) => string | undefined): Promise<number> {
    const changes = new Map<Member, RegisterChange>();
    for (const member of this.#host.members) {
      const vote = this.#votes[member.index];
      const to = vote && textFor(vote, member);
      if (to !== undefined) changes.set(member, { from: vote?.text, to });
    }
    const asked = [...changes.keys()];
    for (const { index } of asked) this.#votes[index] = undefined;
    const answers = (): number => asked.filter(({ index }) => this.#votes[index] !== undefined).length;
    await this.#ask(asked, () => answers() >= this.#host.need, changes);
    return asked.filter((member) => this.#votes[member.index]?.text === changes.get(member)?.to).length;
  }

  async #ask(
    members: readonly Member[],
    isEnough: () => boolean,
    changes?: ReadonlyMap<Member, RegisterChange>,
  ): Promise<void> {
    const { timeout, runtime } = this.#host;
    let open = true;
    const take = async (member: Member): Promise<boolean> => {
      try {
        await this.#host.admit(member);
        const text = await callMember(async () => await member.provider.register?.(this.#name, changes?.get(member)));
        // Later answers belong to no round.
        if (open) this.#votes[member.index] = readVersioned(text);
        return true;
      } catch {
        // This process knows no vote of it.
        return false;
      }
    };
    const limit = Math.max(1, Math.min(timeout / 2, this.#end - runtime.clock.now()));
    if (members.length > 0) await callMembers(this.#host, members, take, { isEnough, limit });
    open = false;
  }
}
