import type { Claim } from '@locks/core';
import type { Clock } from '@locks/core/adapter';
import type { ReadRedisOptions } from '../options/options.ts';
import type { Servers } from '../wire/servers.ts';
import type { KeyNames } from './keys.ts';

/** The arguments that all calls of a provider share. */
export interface CallTerms {
  readonly options: ReadRedisOptions;
  readonly names: KeyNames;
  readonly servers: Servers;
  /** The format of the scripts: see `lua/queue.lua`. */
  readonly text: string;
  /** The same for a claim that takes a position in the queue. */
  readonly textInQueue: string;
  /** The name of the claim in a queue: its kind, process and owner. */
  readonly waiterOf: (claim: Claim) => string;
  /**
   * The terms on which a release may assign the key to the claim, whose attempt is sent at
   * `sentAt`. Empty: the claim is only notified, and tries for itself. See `lua/algorithm.lua`.
   */
  readonly assignedOn: (claim: Claim, sentAt: number) => string;
  readonly clock: Clock;
}

/** `process` is the store's name of this process, a part of the wake channel's name. */
export function createTerms(
  options: ReadRedisOptions,
  names: KeyNames,
  servers: Servers,
  process: string,
  clock: Clock,
): CallTerms {
  const { waiterTtl, channelPrefix, minReplicas, restartGuard } = options;
  // A waiter that misses the message finds the hold at its next attempt, after a third of
  // `waiterTtl`.
  const shortest = waiterTtl / 2;
  // A release waits for no replica and checks no marker.
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
 * process. It does so in a part of each period in which every lease is renewed. So the counter of a
 * held key keeps at least 7/8 of its retention, less two ttls, and outlives the hold.
 */
export function mustKeepCounter(now: number, ttl: number, retention: number): boolean {
  const period = retention / 8;
  return now % period >= period - 2 * ttl;
}

/** The first part of the claim's name in a queue. */
export function kindOf({ mode, permits }: Claim): string {
  return mode === 'exclusive' ? 'x' : `s${permits ?? '*'}`;
}
