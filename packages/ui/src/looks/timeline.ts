import type { LockState } from '@locks/core';
import { labelOf, printable } from '@locks/core/text';
import type { EventKind, EventView } from '../views.ts';
import { keyText } from './key-view.ts';

/** An event of an owner. */
export interface TimelineEvent {
  readonly kind: EventKind;
  readonly key: string;
  readonly owner: string;
  /** For people. */
  readonly detail?: string;
}

/** An event as it is stored. Text is made only for the few that are shown. */
interface Told extends Required<TimelineEvent>, Pick<EventView, 'id' | 'at'> {}

/** The owners of a key, as last queried. */
interface Seen {
  /** In ms of the monotonic clock. */
  readonly at: number;
  readonly owners: ReadonlySet<string>;
}

/** In ms. After a longer pause between two queries, changes are not reported. */
const longestGap = 10_000;

/**
 * The number of events kept. Losses are kept separately, as grants of a busy service would displace
 * them.
 */
const mostUsual = 200;
const mostTroubles = 100;

/**
 * The number of grants and ends remembered as reported. With fewer, some would be reported twice.
 */
const mostTold = 5_000;

const troubles: ReadonlySet<EventKind> = new Set(['lost', 'gave-up', 'slow', 'broken']);
const begins: ReadonlySet<EventKind> = new Set(['granted']);
const ends: ReadonlySet<EventKind> = new Set(['ended', 'released', 'lost', 'broken']);

/** Recent grants and ends, from queries and from diagnostics channels. */
export class Timeline {
  readonly #usual: Told[] = [];
  readonly #troubles: Told[] = [];
  #told = new Set<string>();
  #toldBefore: ReadonlySet<string> = new Set();
  readonly #seen = new Map<string, Seen>();
  /** The last list. It is compared once, even if several pages share it. */
  #list: readonly string[] = [];
  #listed: { readonly at: number; readonly keys: ReadonlySet<string> } = { at: -Infinity, keys: new Set() };
  /** Keys in the last list that were not in the one before it. */
  #appeared: ReadonlySet<string> = new Set();
  #count = 0;

  /** Adds `event`, unless the same grant or end of its owner was added before. */
  add({ kind, key, owner, detail = '' }: TimelineEvent): void {
    const phase = begins.has(kind) ? 'begin' : ends.has(kind) ? 'end' : undefined;
    if (phase !== undefined && !this.#isFirst(`${phase} ${owner} ${key}`)) return;
    const [events, most] = troubles.has(kind) ? [this.#troubles, mostTroubles] : [this.#usual, mostUsual];
    this.#count += 1;
    events.push({ id: this.#count, at: Date.now(), kind, key, owner, detail });
    if (events.length > most) events.shift();
  }

  /** A query found `keys`, all of them. Holders of other keys are gone. */
  sawKeys(list: readonly string[], now: number): void {
    if (list === this.#list) return;
    this.#list = list;
    const keys = new Set(list);
    for (const [key, seen] of this.#seen) {
      if (keys.has(key)) continue;
      this.#compare(key, seen, new Map(), now);
      this.#seen.delete(key);
    }
    const { at, keys: before } = this.#listed;
    this.#appeared = now - at > longestGap ? new Set() : new Set(list.filter((key) => !before.has(key)));
    this.#listed = { at: now, keys };
  }

  /** A query found `state`. */
  sawState({ key, holders }: LockState, now: number): void {
    const tokens = new Map(holders.map(({ owner, token }) => [owner, token]));
    const before =
      this.#seen.get(key) ?? (this.#appeared.has(key) ? { at: now, owners: new Set<string>() } : undefined);
    if (before !== undefined) this.#compare(key, before, tokens, now);
    // The oldest is the first in the map.
    this.#seen.delete(key);
    this.#seen.set(key, { at: now, owners: new Set(tokens.keys()) });
    for (const [other, { at }] of this.#seen) {
      if (now - at <= longestGap) break;
      this.#seen.delete(other);
    }
  }

  /** The newest events of keys that `matches`, newest first. */
  recent(most: number, matches: (key: string) => boolean): readonly EventView[] {
    return [...this.#usual, ...this.#troubles]
      .filter(({ key }) => matches(key))
      .toSorted((one, other) => other.id - one.id)
      .slice(0, most)
      .map(shownEvent);
  }

  #compare(key: string, before: Seen, tokens: ReadonlyMap<string, bigint | undefined>, now: number): void {
    if (now - before.at > longestGap) return;
    for (const owner of before.owners) if (!tokens.has(owner)) this.add({ kind: 'ended', key, owner });
    for (const [owner, token] of tokens) {
      if (before.owners.has(owner)) continue;
      this.add({ kind: 'granted', key, owner, ...(token !== undefined && { detail: `token ${token}` }) });
    }
  }

  #isFirst(what: string): boolean {
    if (this.#told.has(what) || this.#toldBefore.has(what)) return false;
    if (this.#told.size >= mostTold) {
      // Removing the oldest each time would cost more than everything else.
      this.#toldBefore = this.#told;
      this.#told = new Set();
    }
    this.#told.add(what);
    return true;
  }
}

function shownEvent({ id, at, kind, key, owner, detail }: Told): EventView {
  return { id, at, kind, key: keyText(key), label: printable(labelOf(owner)), detail: printable(detail) };
}
