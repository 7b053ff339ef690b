/** The register of a member with the id of its store, and the members of its quorum. */
export const setRegister = 'quorum';
/**
 * 48 random bits. With fewer, two stores of one fleet may be mistaken for one. With more, fewer
 * members fit into a register.
 */
export const idLength = 8;
/** The ids of more would not fit into a register, with those of the old members. */
export const mostMembers = 10;

/** The content of a member's register. */
export interface SetRecord {
  /** Of its store. */
  readonly id: string;
  /** 0: only an id. Odd: a change is proposed. Even: it is decided. */
  readonly epoch: number;
  /** Ids, in the order of the members. */
  readonly members: readonly string[];
  /** The members before the change. */
  readonly was: readonly string[];
}

/** A member's answer. `undefined`: none. Without `text` it has no register. */
export type Told = { readonly text: string | undefined } | undefined;

/** Ids of stores. `undefined`: unknown. */
type Ids = readonly (string | undefined)[];

/** A compare-and-set that a member needs. */
export interface Write {
  readonly index: number;
  readonly from: string | undefined;
  readonly to: string;
}

/** What a process with these members may do. */
export interface Verdict {
  /** Two members that are one store. */
  readonly twins?: readonly [number, number] | undefined;
  /** The members of the quorum are others. */
  readonly other?: SetRecord | undefined;
  /** So many members know the quorum that the others may be stores of another one. */
  readonly tooFew?: boolean;
  readonly writes: readonly Write[];
}

export function readRecord(text: string | undefined): SetRecord | undefined {
  if (text === undefined) return undefined;
  const [id = '', epoch = '0', members = '', was = ''] = text.split('!');
  const ids = (list: string): readonly string[] => (list === '' ? [] : list.split('.'));
  return { id, epoch: Number(epoch), members: ids(members), was: ids(was) };
}

export function textOf({ id, epoch, members, was }: SetRecord): string {
  return `${id}!${epoch}!${members.join('.')}!${was.join('.')}`;
}

export function isDecided({ epoch }: Pick<SetRecord, 'epoch'>): boolean {
  return epoch % 2 === 0;
}

/** The record with the highest epoch, which is above 0. */
export function latestOf(records: readonly (SetRecord | undefined)[]): SetRecord | undefined {
  const ordered = records.filter((record) => record !== undefined).toSorted((left, right) => right.epoch - left.epoch);
  return ordered.find(({ epoch }) => epoch > 0);
}

/** Whether `ids` are those of `set`, as far as known. */
export function isSame(ids: Ids, set: readonly string[]): boolean {
  return ids.length === set.length && ids.every((id, index) => id === undefined || id === set[index]);
}

/** Which members were added by the last change: before it, nothing was written to them. */
export function newIn(told: readonly Told[]): readonly boolean[] {
  const records = told.map((each) => readRecord(each?.text));
  const before = latestOf(records)?.was ?? [];
  return records.map((record) => record !== undefined && before.length > 0 && !before.includes(record.id));
}

export function majority({ length }: readonly unknown[]): number {
  return Math.floor(length / 2) + 1;
}

export function twinsOf(ids: Ids): readonly [number, number] | undefined {
  const second = ids.findIndex((id, index) => id !== undefined && ids.indexOf(id) < index);
  return second === -1 ? undefined : [ids.indexOf(ids[second]), second];
}

/**
 * Why two sets must not be used simultaneously: majorities of them can be disjoint, or the common
 * members have another order, so that claims could wait for each other.
 */
export function conflictOf(one: readonly string[], other: readonly string[]): 'order' | 'stores' | undefined {
  const common = one.filter((id) => other.includes(id));
  if (common.join('.') !== other.filter((id) => one.includes(id)).join('.')) return 'order';
  // The least number of common members in a majority.
  const least = (set: readonly string[]): number => Math.max(0, majority(set) - (set.length - common.length));
  return least(one) + least(other) > common.length ? undefined : 'stores';
}

/**
 * What a process with these members may do. `newId` creates the id of a store that has none, before
 * there is a quorum.
 */
export function judge(told: readonly Told[], newId: () => string): Verdict {
  const records = told.map((each) => readRecord(each?.text));
  const ids = records.map((record) => record?.id);
  const twins = twinsOf(ids);
  if (twins !== undefined) return { twins, writes: [] };
  const top = latestOf(records);
  if (top === undefined) return { writes: firstWrites(told, ids, newId) };
  // A proposal may fail, so only the old members are sure to be in use.
  const own = (record: SetRecord): readonly string[] | undefined =>
    [...(isDecided(record) ? [record.members] : []), record.was].find((set) => isSame(ids, set));
  const other = records.find((record) => record?.epoch === top.epoch && own(record) === undefined);
  if (other !== undefined) return { other, writes: [] };
  const known = ids.filter((id) => id !== undefined).length;
  if (known < Math.min(majority(ids), ids.length - 1)) return { tooFew: true, writes: [] };
  const decided = latestOf(records.filter((record) => record !== undefined && isDecided(record)));
  const set = own(top) as readonly string[];
  const writes = told.flatMap((each, index): readonly Write[] => {
    if (each === undefined || decided === undefined || (records[index]?.epoch ?? -1) >= decided.epoch) return [];
    return [{ index, from: each.text, to: textOf({ ...decided, id: set[index] as string }) }];
  });
  return { writes };
}

/** Ids first; the set when all members have one. */
function firstWrites(told: readonly Told[], ids: Ids, newId: () => string): readonly Write[] {
  const members = ids.filter((id) => id !== undefined);
  if (members.length < ids.length) {
    return told.flatMap((each, index) =>
      each === undefined || each.text !== undefined
        ? []
        : [{ index, from: undefined, to: textOf({ id: newId(), epoch: 0, members: [], was: [] }) }],
    );
  }
  return members.map((id, index) => ({
    index,
    from: told[index]?.text,
    to: textOf({ id, epoch: 2, members, was: [] }),
  }));
}
