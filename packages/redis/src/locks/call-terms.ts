import type { Claim } from '@locks/core';
import type { Clock } from '@locks/core/adapter';
import type { ReadRedisOptions } from '../options/options.ts';
import type { Servers } from '../wire/servers.ts';
import type { KeyNames } from './keys.ts';

/** What all calls of a provider have in common. */
export interface CallTerms {
  readonly options: ReadRedisOptions;
  readonly names: KeyNames;
  readonly servers: Servers;
  /** As the scripts read it: see `lua/queue.lua`. */
  readonly text: string;
  /** The same for a claim that takes a position in the queue. */
  readonly textInQueue: string;
  /** What a queue calls the claim: its kind, its process and its owner. */
  readonly waiterOf: (claim: Claim) => string;
  /**
   * On which terms a release may assign the key to the claim, which sends an attempt at `sentAt`.
   * Empty: the claim is told its turn, and tries for itself. See `lua/algorithm.lua`.
   */
  readonly assignedOn: (claim: Claim, sentAt: number) => string;
  readonly clock: Clock;
}

/** `process` is what the store calls this process: its part of the name of the wake channel. */
export function createTerms(
  options: ReadRedisOptions,
  names: KeyNames,
  servers: Servers,
  process: string,
  clock: Clock,
): CallTerms {
  const { waiterTtl, channelPrefix, minReplicas, restartGuard } = options;
  // A waiter that misses the message finds the hold at its next look, in a third of `waiterTtl`.
  const shortest = waiterTtl / 2;
  // A release waits for no replica and looks at no marker.
  const assigns = minReplicas === undefined && restartGuard === undefined;
  const assignedOn = (claim: Claim, sentAt: number): string =>
    assigns && claim.mode === 'exclusive' && claim.ttl >= shortest
      ? `${Math.floor(sentAt)} ${claim.ttl} ${claim.floor ?? 0} ${retentionOf(options, claim.ttl)}`
      : '';
  const text = (inQueue: 0 | 1): string => `${waiterTtl} ${inQueue} ${process} ${channelPrefix}`;
  const waiterOf = (claim: Claim): string => `${kindOf(claim)} ${process} ${claim.owner}`;
  return { options, names, servers, text: text(0), textInQueue: text(1), waiterOf, assignedOn, clock };
}

/** A counter must outlive the hold it belongs to. */
export function retentionOf({ tokenRetention }: ReadRedisOptions, ttl: number): number {
  return Math.max(tokenRetention, ttl * 2);
}

/**
 * Whether a renewal of many leases restarts the retention of their counters, by the clock of this
 * process. It does so in a part of each period that no lease can pass without a renewal. So the
 * counter of a held key has 7/8 of its retention left, less two ttls, and outlives the hold.
 */
export function mustKeepCounter(now: number, ttl: number, retention: number): boolean {
  const period = retention / 8;
  return now % period >= period - 2 * ttl;
}

/** The first part of the name that a queue has for the claim. */
export function kindOf({ mode, permits }: Claim): string {
  return mode === 'exclusive' ? 'x' : `s${permits ?? '*'}`;
}
