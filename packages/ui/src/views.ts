/** What the page asks its server for. It has no imports: the page is compiled with it. */

/** A holder of a key, for the page. */
export interface HolderView {
  /** Verbatim, to name the lease when it is broken. */
  readonly owner: string;
  /** The owner, safe to show. */
  readonly text: string;
  /** The part of the owner that names its process. */
  readonly label: string;
  readonly mode: string;
  /** How many may share the key with it. Absent: any number, or it is exclusive. */
  readonly permits?: number;
  /** Decimal digits. */
  readonly token?: string;
  /** Ms until the store lets go without a renewal. Absent: the hold ends with its session. */
  readonly remaining?: number;
}

/** A claim in the queue, for the page. */
export interface WaiterView {
  readonly text: string;
  readonly label: string;
  readonly mode: string;
  /** How many may share the key with it. Absent: any number, or it is exclusive. */
  readonly permits?: number;
}

/** A key that is held or waited for. */
export interface KeyView {
  readonly key: string;
  /** The key, safe to show. */
  readonly text: string;
  /** What people know it as: the key, or `job report` for the lock of a job. Safe to show. */
  readonly name: string;
  /** What the record of that job says. */
  readonly run?: { readonly state: string; readonly slot: string };
  readonly holders: readonly HolderView[];
  readonly waiters: number;
  /** The first in the queue, in their order, as far as the store tells them. */
  readonly queue: readonly WaiterView[];
  /** Several stores as one: what each of them told, in words. */
  readonly members: readonly string[];
}

/**
 * What became of a lease or a claim. `ended`: a look found that its holder is gone, which gave it
 * back or lost it. The others come from the holder's own process, but for `granted`.
 */
export type EventKind = 'granted' | 'ended' | 'released' | 'lost' | 'gave-up' | 'slow' | 'broken' | 'transferred';

/** One line of the timeline. All texts are safe to show. */
export interface EventView {
  readonly id: number;
  /** Ms since 1970, by the clock of the server of the page. */
  readonly at: number;
  readonly kind: EventKind;
  readonly key: string;
  readonly label: string;
  readonly detail: string;
}

/** What the keys of the page are sorted by: their names, or how many wait for them, most first. */
export type KeyOrder = 'name' | 'waiting';

/** All that the page shows. */
export interface StateView {
  /** The name of the store: `redis`, `postgres`, … */
  readonly store: string;
  readonly write: boolean;
  /** How the names of all shown keys begin, safe to show. */
  readonly prefix: string;
  /** How many keys are held or waited for. */
  readonly total: number;
  /** There are more than `total`, which the server does not count. */
  readonly more: boolean;
  /** How many of them match the filter. */
  readonly matched: number;
  /** From 0. */
  readonly page: number;
  readonly pages: number;
  readonly order: KeyOrder;
  /** Whether they can be sorted by how many wait: that takes a call for each key. */
  readonly sortable: boolean;
  readonly keys: readonly KeyView[];
  /** The newest first. */
  readonly events: readonly EventView[];
}
