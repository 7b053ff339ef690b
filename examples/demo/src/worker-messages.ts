import type { WorkEvent } from './events.ts';

/** What a worker process is to do. It comes by message: an argument would show the URL's password to everybody. */
export interface Assignment {
  readonly worker: number;
  readonly updates: number;
  /** The file of the balance. */
  readonly file: string;
  readonly lock: { readonly url: string; readonly key: string } | undefined;
  readonly stopsAfter: number | undefined;
}

/** From the demo to a worker. */
export type Order = { readonly kind: 'prepare'; readonly assignment: Assignment } | { readonly kind: 'begin' };

/** From a worker to the demo. */
export type Report =
  | WorkEvent
  | { readonly kind: 'ready' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'failed'; readonly message: string };
