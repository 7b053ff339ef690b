import type { ShownLocks } from '../options.ts';
import { printable } from '../text/printable.ts';
import type { StateView } from '../views.ts';
import { keyView } from './key-view.ts';
import { Looks } from './looks.ts';
import type { Timeline } from './timeline.ts';

/** Which keys a page shows. */
export interface Shown {
  /** Text that their names have, whatever its case. */
  readonly filter: string;
  /** From 0. */
  readonly page: number;
}

/** So many keys are on a page. Each of them costs the store a call for each look. */
const pageSize = 50;
const shownEvents = 100;

/** What pages show of a store. */
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
  async view({ filter, page }: Shown): Promise<StateView> {
    const { keys, more } = await this.#looks.keys();
    // A list that has an end of its own says nothing about the keys after it.
    if (!more) this.#timeline.sawKeys(keys, performance.now());
    const wanted = filter.toLowerCase();
    const matches = (key: string): boolean => wanted === '' || key.toLowerCase().includes(wanted);
    const matched = wanted === '' ? keys : keys.filter(matches);
    const pages = Math.max(1, Math.ceil(matched.length / pageSize));
    const shownPage = Math.min(page, pages - 1);
    const first = shownPage * pageSize;
    const shown = matched.slice(first, first + pageSize);
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
      // Between the two looks some were given back.
      keys: states.filter(({ holders, waiters }) => holders.length > 0 || waiters > 0).map(keyView),
      events: this.#timeline.recent(shownEvents, matches),
    };
  }

  /**
   * Ends a lease by force. Whether this freed it.
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
