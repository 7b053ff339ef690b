import type { Base } from '../../../src/tokens/base.ts';

/** One transaction; its number is its place in the log, from 1. */
export type Entry =
  | { readonly type: 'create' | 'delete' | 'write'; readonly client: number }
  | { readonly type: 'base'; readonly value: number; readonly previous: number };

export type Phase =
  | 'idle'
  /** Its node is asked for, or it waits, or has to list again. */
  | 'in the queue'
  /** A list has shown that it is its turn. */
  | 'listed'
  /** A change of its own node is on its way. */
  | 'writing'
  | 'holds'
  | 'renewing'
  | 'done';

/** What one client knows, and what it is about. */
export interface Client {
  readonly phase: Phase;
  /**
   * How many transactions its server has shown it: all replies and events up to there have come.
   */
  readonly seen: number;
  /** It goes on once it has seen so many: the reply to its last write. */
  readonly until: number;
  /** The base as last read; it may be used while `watched`. */
  readonly base: Base;
  readonly watched: boolean;
  /** A raise of the base is on its way, to this value; or 0. */
  readonly to: number;
  /** The transaction of its own write, or 0. */
  readonly written: number;
  readonly token: number | undefined;
  /** The token that it took later on. */
  readonly renewed: number | undefined;
}

export interface State {
  /** Made by `emptyLog` and `appended`. */
  readonly log: readonly Entry[];
  readonly clients: readonly Client[];
  /** How many more raises for other keys, and removals by force, there may be. */
  readonly raises: number;
  readonly removals: number;
}

/** The base and the nodes in the queue after the first `seen` transactions. */
export interface Nodes {
  readonly base: Base;
  /** The transaction that made each client's node; `undefined`: there is none. */
  readonly made: readonly (number | undefined)[];
}

/**
 * What the servers have after each number of transactions, by log: a log is shared by many states.
 */
const histories = new WeakMap<readonly Entry[], readonly Nodes[]>();

/** A log without transactions. */
export function emptyLog(clients: number): readonly Entry[] {
  const log: readonly Entry[] = [];
  histories.set(log, [{ base: firstBase, made: Array.from({ length: clients }, () => undefined) }]);
  return log;
}

/** The log with one more transaction. */
export function appended(log: readonly Entry[], entry: Entry, baseInParent: boolean): readonly Entry[] {
  const history = histories.get(log) ?? [];
  const last = history.at(-1);
  if (last === undefined) throw new Error('A log that does not come from emptyLog().');
  const longer = [...log, entry];
  histories.set(longer, [...history, after(last, entry, BigInt(longer.length), baseInParent)]);
  return longer;
}

/** What the servers have after the first `seen` transactions. */
export function nodesAt({ log }: State, seen: number = log.length): Nodes {
  const nodes = histories.get(log)?.[seen];
  if (nodes === undefined) throw new Error(`There are no ${seen} transactions.`);
  return nodes;
}

function after({ base, made }: Nodes, entry: Entry, zxid: bigint, baseInParent: boolean): Nodes {
  if (entry.type === 'write') return { base, made };
  if (entry.type === 'base') {
    const { value, previous } = entry;
    return {
      base: { value: BigInt(value), previous: BigInt(previous), mzxid: zxid, version: base.version + 1 },
      made,
    };
  }
  const left = made.map((at, client) =>
    client !== entry.client ? at : entry.type === 'create' ? Number(zxid) : undefined,
  );
  const isEmpty = left.every((at) => at === undefined);
  return { base: baseInParent && isEmpty ? { ...firstBase, mzxid: zxid } : base, made: left };
}

/** Made before everything else. */
export const firstBase: Base = { value: 0n, previous: 0n, mzxid: 0n, version: 0 };
