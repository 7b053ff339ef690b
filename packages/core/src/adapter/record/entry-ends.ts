import { fromText, toText } from './record-text.ts';
import type { StoredKey } from './record-text.ts';
import type { ReadState } from './store-calls.ts';

/** Clocks of processes differ in rate by at most 1 %. */
export const fastestRate = 1.01;

/** A record as text, and what its process knows after it was stored. */
export interface Written {
  readonly text: string;
  readonly known?: ReadonlyMap<string, Observed> | undefined;
}

/** When the entries of one key end: how a text stores that, and how it is read. */
export interface EntryEnds {
  /** The record of what was read, in the time that `written` takes. */
  read(key: string, state: ReadState): StoredKey;
  /** The text for the store, at `now`. Absent: it contains the record's own moments. */
  written?(record: StoredKey, version: string, now: number): Written;
  /** The text of `written` was stored. */
  stored?({ known }: Written): void;
}

/** With a time of the store, the text contains the moments. */
export const momentsOfStore: EntryEnds = {
  read: (key, { text }) => fromText(key, text, (_entry, [until]) => Number(until)),
};

/** A record as text, with its own moments. */
export function withMoments(record: StoredKey): string {
  return toText(record, (_entry, until) => [until]);
}

/** An entry as this process has seen it. */
export interface Observed {
  /** Of the write that renewed the entry last. */
  readonly id: string;
  readonly until: number;
}

/**
 * Without a time of the store, the text contains what was left of each entry when it was written.
 * An entry ends when this process has seen it unchanged for that long. Only a renewal changes its
 * id.
 */
export function createObservation(): EntryEnds {
  let seen: ReadonlyMap<string, Observed> = new Map();
  return {
    read(key, { text, receivedAt }) {
      const found = new Map<string, Observed>();
      const record = fromText(key, text, (entry, [rest, by]) => {
        const [id, fresh] = [String(by), receivedAt + Number(rest) * fastestRate];
        const known = seen.get(entry);
        const until = known?.id === id ? Math.min(known.until, fresh) : fresh;
        found.set(entry, { id, until });
        return until;
      });
      seen = found;
      return record;
    },
    written(record, version, now) {
      const own = new Map<string, Observed>();
      const text = toText(record, (entry, until) => {
        const known = seen.get(entry);
        const id = known?.until === until ? known.id : version;
        own.set(entry, { id, until });
        return [Math.ceil(until - now), id];
      });
      return { text, known: own };
    },
    stored({ known = seen }) {
      seen = known;
    },
  };
}

/**
 * Wall clocks of processes differ by at most this, in ms: the counter of a removed text begins
 * again at the clock of another process. A larger value keeps idle texts for longer.
 */
const clockSkew = 60_000;

/**
 * For how many ms a store must keep a record at `now`: until its entries have ended, and the clock
 * of each process has passed its token. `leastToken`: the clock of this process, as a token.
 */
export function keepFor({ holds, queue, token }: StoredKey, now: number, leastToken: number): number {
  let ends = (token - leastToken) / 1_000;
  for (const { until } of holds) ends = Math.max(ends, until - now);
  for (const { until } of queue) ends = Math.max(ends, until - now);
  return Math.ceil(clockSkew + fastestRate * Math.max(0, ends));
}
