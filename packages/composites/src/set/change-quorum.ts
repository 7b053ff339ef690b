import type { LockProvider, RegisterChange } from '@locks/core';
import { LockError, misconfigured, pause, systemRuntime } from '@locks/core/adapter';
import { holdsByOwner, isEnough } from '../members/key-states.ts';
import { memberTitle } from '../members/member.ts';
import { conflictOf, idLength, isDecided, isSame, latestOf, majority } from './set-record.ts';
import { mostMembers, readRecord, setRegister, textOf, twinsOf } from './set-record.ts';
import type { Told } from './set-record.ts';

/** The result of `changeQuorum`. */
export interface QuorumChange {
  /** The members are now those of the quorum. `false`: `left` prevents it. */
  readonly done: boolean;
  /** Holds that a majority of the new members may not know: their keys could be granted again. */
  readonly left: readonly LeftHold[];
}

/** The hold of a lease, a cooldown, a slot or a transfer. */
export interface LeftHold {
  /** Its key. */
  readonly key: string;
  /** Who holds it. */
  readonly owner: string;
  /** In ms. `undefined`: it does not expire. */
  readonly remaining: number | undefined;
}

/** Options of `changeQuorum`. */
export interface QuorumChangeOptions {
  /**
   * Makes the change even if holds are left, if majorities before and after may be disjoint, or if
   * another change is incomplete. For a fleet that holds no lock, and not during another change.
   * @default false
   */
  readonly force?: boolean | undefined;
}

const where = 'changeQuorum';
/** In ms: within this time an attempt in progress has all its votes. */
const underWay = 1_000;

/**
 * Makes `members` those of their quorum: as a proposal, which a majority of the old and of the new
 * members must accept, and then as decided. So at most one of several simultaneous changes
 * succeeds. A member that cannot be opened is `undefined`. Closes nothing.
 * @throws `LOCK_MISCONFIGURED`: the change is unsafe, or another one is incomplete.
 * `LOCK_UNAVAILABLE`: too few members accepted it. Both say what to do.
 */
export async function changeQuorum(
  members: readonly (LockProvider | undefined)[],
  { force = false }: QuorumChangeOptions = {},
): Promise<QuorumChange> {
  const titles = members.map((member, index) => memberTitle(index, members.length, member?.name));
  const ask = async (index: number, change?: RegisterChange): Promise<Told> => {
    const member = members[index];
    if (member?.register === undefined) return undefined;
    return await member.register(setRegister, change).then(
      (text) => ({ text }),
      () => undefined,
    );
  };
  const told = await Promise.all(members.map((_, index) => ask(index)));
  const plan = planChange(told, titles, force);
  const { next, epochs } = plan;
  if (!force && epochs.length > 1) {
    const answering = members.filter((member, index) => member !== undefined && told[index] !== undefined);
    const left = await leftHolds(answering as readonly LockProvider[], next);
    if (left.length > 0) return { done: false, left };
  }
  for (const epoch of epochs) {
    const write = async (each: Told, index: number): Promise<void> => {
      const to = textFor(plan, epoch, index);
      if (each !== undefined && each.text !== to) told[index] = await ask(index, { from: each.text, to });
    };
    await Promise.all(told.map(write));
    const lacking = lackingFor(plan, epoch, told);
    if (lacking !== undefined) throw unavailable(`${lacking}. Repeat it when more of them answer`);
  }
  return { done: true, left: [] };
}

/** The texts of the registers, by epoch. */
export interface ChangePlan {
  readonly next: readonly string[];
  readonly was: readonly string[];
  readonly epochs: readonly number[];
}

/** @throws as `changeQuorum` */
export function planChange(told: readonly Told[], titles: readonly string[], force: boolean): ChangePlan {
  const refuse = (why: string): LockError => misconfigured(where, why);
  if (titles.length > mostMembers) throw refuse(`a quorum of more than ${mostMembers} members is not checked`);
  const records = told.map((each) => readRecord(each?.text));
  const top = latestOf(records) ?? { epoch: 0, members: [], was: [] };
  const before = isDecided(top) ? top.members : top.was;
  const next = idsOf(told, before);
  const silent = titles.filter((_, index) => told[index] === undefined).join(', ');
  if (next === undefined) throw unavailable(`${silent} cannot be reached. Each new member must answer`);
  const twins = twinsOf(next)?.map((index) => titles[index]);
  if (twins !== undefined) throw refuse(`${twins.join(' and ')} are one store`);
  const expected = isDecided(top) ? top.members : next;
  const rivals = records.some((record) => record?.epoch === top.epoch && !isSame(record.members, expected));
  if (isDecided(top) && !rivals && isSame(next, before)) return { next, was: top.was, epochs: [top.epoch] };
  if (rivals && !force) throw refuse('another change is not complete. Repeat it with its members, or use --force');
  const stay = before.filter((id) => next.includes(id)).length;
  const why = conflictOf(before, next) ?? (stay < Math.min(before.length, majority(before)) ? 'stores' : undefined);
  if (why !== undefined && !force) throw refuse(reasons[why]);
  const first = isDecided(top) ? top.epoch + 1 : rivals ? top.epoch + 2 : top.epoch;
  return { next, was: before, epochs: [first, first + 1] };
}

export function textFor({ next, was }: ChangePlan, epoch: number, index: number): string {
  return textOf({ id: next[index] as string, epoch, members: next, was });
}

/** Which members must also have the text of `epoch`. `undefined`: enough of them have it. */
export function lackingFor(plan: ChangePlan, epoch: number, told: readonly Told[]): string | undefined {
  const { next, was } = plan;
  const took = next.filter((_, index) => told[index]?.text === textFor(plan, epoch, index));
  const tookBefore = was.filter((id) => took.includes(id)).length;
  // A decided one was accepted by a majority of the old members.
  const isEnoughBefore = isDecided({ epoch }) || tookBefore >= Math.min(was.length, majority(was));
  if (took.length >= majority(next) && isEnoughBefore) return undefined;
  return `${took.length} of ${next.length} members took it, and ${tookBefore} of the ${was.length} before. A majority of both must`;
}

const reasons = {
  order: 'the members that stay have another order. Keep it',
  stores:
    'a majority of the members before must stay, and have a store in common with each majority of these. ' +
    'Add or remove one store. One without data is new, until a process with the members before has started',
} as const;

function unavailable(message: string): LockError {
  return new LockError('LOCK_UNAVAILABLE', `${where}: ${message}.`);
}

/**
 * The ids of the members: those that do not answer are the missing ones of `before`, and a store
 * without an id is new. `undefined`: ambiguous.
 */
function idsOf(told: readonly Told[], before: readonly string[]): readonly string[] | undefined {
  const ids = told.map((each) =>
    each === undefined ? undefined : (readRecord(each.text)?.id ?? systemRuntime.uniqueId().slice(0, idLength)),
  );
  const missing = before.filter((id) => !ids.includes(id));
  const silent = ids.filter((id) => id === undefined).length;
  if (silent > 0 && silent !== missing.length) return undefined;
  return ids.map((id) => id ?? (missing.shift() as string));
}

/** Holds that a majority of `next` may not know. */
async function leftHolds(members: readonly LockProvider[], next: readonly string[]): Promise<readonly LeftHold[]> {
  const look = async (keys: Iterable<string>): Promise<readonly LeftHold[]> => {
    const found: LeftHold[] = [];
    for (const key of keys) {
      const owners = holdsByOwner(await Promise.all(members.map((member) => member.inspect(key))));
      const all = [...owners].map(([owner, holds]) => ({ owner, holds }));
      // Beside a holder that all majorities know, others are waiters.
      if (all.some(({ holds }) => isEnough(holds, next.length - majority(next) + 1))) continue;
      for (const { owner, holds } of all) found.push({ key, owner, remaining: holds[0]?.holder.remaining });
    }
    return found;
  };
  const keys = new Set<string>();
  for (const member of members) for await (const key of member.list?.('') ?? []) keys.add(key);
  const found = await look(keys);
  if (found.length === 0) return [];
  await pause(systemRuntime, underWay);
  const still = await look(new Set(found.map(({ key }) => key)));
  return still.filter((each) => found.some(({ key, owner }) => key === each.key && owner === each.owner));
}
