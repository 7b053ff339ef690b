import { printable } from '@locks/core/text';
import type { ShownLocks } from '../options.ts';
import type { KeyOrder, StateView } from '../views.ts';
import { keyText, keyView } from './key-view.ts';
import { Looks } from './looks.ts';
import type { Timeline } from './timeline.ts';

/** Which keys a page shows. */
export interface Shown {
  /** A part of their names, case-insensitive. */
  readonly filter: string;
  /** From 0. */
  readonly page: number;
  readonly order: KeyOrder;
}

/** The number of keys on a page. Each costs the store a call per query. */
const pageSize = 50;
const shownEvents = 100;

/** With more keys the calls would take seconds. A filter leaves fewer. */
const mostSorted = 2_000;

/** Makes what pages show of a store. */
export class StateViews {
  readonly #locks: ShownLocks;
  readonly #fixed: Pick<StateView, 'store' | 'write' | 'prefix'>;
  readonly #timeline: Timeline;
  readonly #looks: Looks;

  constructor(locks: ShownLocks, timeline: Timeline, { write, prefix }: { write: boolean; prefix: string }) {
    this.#locks = locks;
    this.#fixed = { store: locks.name, write, prefix: printable(prefix) };
    this.#timeline = timeline;
    this.#looks = new Looks(locks, prefix);
  }

  /** @throws what `list` and `inspect` reject with. */
  async view({ filter, page, order }: Shown): Promise<StateView> {
    const { keys, more } = await this.#looks.keys();
    // An incomplete list says nothing about the keys after it.
    if (!more) this.#timeline.sawKeys(keys, performance.now());
    const wanted = filter.toLowerCase();
    const matches = (key: string): boolean =>
      wanted === '' || key.toLowerCase().includes(wanted) || keyText(key).toLowerCase().includes(wanted);
    const matched = wanted === '' ? keys : keys.filter(matches);
    const sortable = matched.length <= mostSorted;
    const byWaiting = sortable && order === 'waiting';
    const sorted = byWaiting ? sortedBy(await this.#looks.waiters(wanted, matched)) : matched;
    const pages = Math.max(1, Math.ceil(sorted.length / pageSize));
    const shownPage = Math.min(page, pages - 1);
    const first = shownPage * pageSize;
    const shown = sorted.slice(first, first + pageSize);
    const states = await Promise.all(shown.map(async (key) => await this.#looks.state(key)));
    this.#looks.sweep();
    for (const state of states) this.#timeline.sawState(state, performance.now());
    return {
      ...this.#fixed,
      total: keys.length,
      more,
      matched: matched.length,
      page: shownPage,
      pages,
      order: byWaiting ? 'waiting' : 'name',
      sortable,
      // Some were released between the two queries.
      keys: states.filter(({ holders, waiters }) => holders.length > 0 || waiters > 0).map(keyView),
      events: this.#timeline.recent(shownEvents, matches),
    };
  }

  /**
   * Ends a lease by force. Returns whether this freed it.
   * @throws what `forceRelease` rejects with.
   */
  async release(holder: Parameters<ShownLocks['forceRelease']>[0]): Promise<boolean> {
    try {
      return await this.#locks.forceRelease(holder);
    } finally {
      this.#looks.forget(holder.key);
    }
  }
}

/** The keys, highest number first. Keys with the same number keep their order. */
function sortedBy(numbers: ReadonlyMap<string, number>): readonly string[] {
  return [...numbers].toSorted(([, one], [, other]) => other - one).map(([key]) => key);
}
