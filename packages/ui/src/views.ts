/** The data that the page requests. No imports: the page is compiled with it. */

/** A holder of a key, for the page. */
export interface HolderView {
  /** Verbatim, to name the lease when it is broken. */
  readonly owner: string;
  /** The owner, safe to show. */
  readonly text: string;
  /** The part of the owner that identifies its process. */
  readonly label: string;
  readonly mode: string;
  /** How many may share the key. Absent: any number, or it is exclusive. */
  readonly permits?: number;
  /** Decimal digits. */
  readonly token?: string;
  /** Ms until the hold expires without a renewal. Absent: it ends with its session. */
  readonly remaining?: number;
}

/** A claim in the queue, for the page. */
export interface WaiterView {
  readonly text: string;
  readonly label: string;
  readonly mode: string;
  /** How many may share the key. Absent: any number, or it is exclusive. */
  readonly permits?: number;
}

/** A key that is held or waited for. */
export interface KeyView {
  readonly key: string;
  /** The key, safe to show. */
  readonly text: string;
  /** The name for people: the key, or `job report` for the lock of a job. Safe to show. */
  readonly name: string;
  /** The record of that job. */
  readonly run?: { readonly state: string; readonly slot: string };
  readonly holders: readonly HolderView[];
  readonly waiters: number;
  /** The first waiters in their order, if the store reports them. */
  readonly queue: readonly WaiterView[];
  /** For a composite: what each store reported, in words. */
  readonly members: readonly string[];
}

/**
 * The kind of an event. `ended`: a query found that the holder is gone: released or lost. The
 * others, except `granted`, come from the holder's own process.
 */
export type EventKind = 'granted' | 'ended' | 'released' | 'lost' | 'gave-up' | 'slow' | 'broken' | 'transferred';

/** One entry of the timeline. All texts are safe to show. */
export interface EventView {
  readonly id: number;
  /** Ms since 1970, by the clock of the server of the page. */
  readonly at: number;
  readonly kind: EventKind;
  readonly key: string;
  readonly label: string;
  readonly detail: string;
}

/** What the keys are sorted by: their names, or their number of waiters, most first. */
export type KeyOrder = 'name' | 'waiting';

/** Everything that the page shows. */
export interface StateView {
  /** The name of the store: `redis`, `postgres`, … */
  readonly store: string;
  readonly write: boolean;
  /** The prefix of all shown keys, safe to show. */
  readonly prefix: string;
  /** How many keys are held or waited for. */
  readonly total: number;
  /** More than `total` exist, which the server does not count. */
  readonly more: boolean;
  /** How many of them match the filter. */
  readonly matched: number;
  /** From 0. */
  readonly page: number;
  readonly pages: number;
  readonly order: KeyOrder;
  /** Whether they can be sorted by waiters, which takes a call for each key. */
  readonly sortable: boolean;
  readonly keys: readonly KeyView[];
  /** Newest first. */
  readonly events: readonly EventView[];
}
