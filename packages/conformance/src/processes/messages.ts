import type { Claim, Mode } from '@locks/core';

/** Requests of the harness to a worker. Sent with structured clone, so tokens stay `bigint`. */
export type Request =
  | { readonly kind: 'start'; readonly module: string; readonly args: unknown }
  | { readonly kind: 'call'; readonly method: Method; readonly parameters: readonly unknown[] }
  | { readonly kind: 'wait'; readonly claim: Claim }
  | { readonly kind: 'enqueue'; readonly claim: Claim; readonly onWake?: 'die' }
  | { readonly kind: 'rest'; readonly owner: string }
  | { readonly kind: 'granted'; readonly owner: string }
  | { readonly kind: 'acquire'; readonly key: string; readonly ttl: number }
  | { readonly kind: 'look'; readonly owner: string }
  | { readonly kind: 'write'; readonly owner: string }
  | { readonly kind: 'job'; readonly key: string; readonly slot: number; readonly ttl: number }
  | { readonly kind: 'race'; readonly key: string; readonly slots: readonly number[]; readonly ttl: number }
  | { readonly kind: 'count'; readonly file: string; readonly claims: readonly Claim[] };

/** A lease of `createLocks` in another process, as its first statements after a request see it. */
export interface LeaseElsewhere {
  /** As `owner` of the lease. */
  readonly owner: string;
  /** As `token` of the lease. */
  readonly token: bigint;
  /** As `mode` of the lease. */
  readonly mode: Mode;
  /** As `held` of the lease. */
  readonly held: boolean;
  /** As `remaining` of the lease, in ms. */
  readonly remaining: number;
  /** Whether its signal has fired. */
  readonly aborted: boolean;
}

/** The methods of a provider that can be called remotely. */
export type Method = 'tryAcquire' | 'renew' | 'release' | 'inspect' | 'time' | 'close';
