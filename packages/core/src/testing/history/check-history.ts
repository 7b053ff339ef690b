import { checkAnswers } from './answers.ts';
import { readClaims } from './claims.ts';
import type { HistoryEvent, Violation } from './events.ts';
import { checkExclusion, checkSlots } from './exclusion.ts';
import { checkBusy, checkFailures } from './failures.ts';
import type { Explains } from './failures.ts';
import { checkLiveness } from './liveness.ts';
import { checkOrder } from './order.ts';
import { checkTokens } from './tokens.ts';
import { checkTold } from './told.ts';
import { checkWrites } from './writes.ts';

/** What the check of a history allows. */
export interface CheckHistoryOptions {
  /** Sharers of a key may have the same token. @default false */
  readonly sharersMayTie?: boolean | undefined;
  /** Requests may arrive twice: a release returns `false` for the second one. @default false */
  readonly requestsMayRepeat?: boolean | undefined;
  /** Kinds of faults that empty the store. @default none */
  readonly emptying?: readonly string[];
  /** Those of them after which a key may have a second holder. @default those of `emptying` */
  readonly forgetting?: readonly string[];
  /** Those after which the store has older data, and may grant a token again. @default none */
  readonly restoring?: readonly string[];
  /** Kinds of faults in which the store refuses with a reason. @default none */
  readonly refusing?: readonly string[];
  /**
   * Losses are reported in time, and in these kinds of faults a process does not run.
   * @default it is not checked when losses are reported
   */
  readonly stopping?: readonly string[];
  /** Waiters are granted in the order in which they came. @default false */
  readonly fair?: boolean | undefined;
  /** Faults in which no call of a process can be answered. @default none */
  readonly silences?: Explains;
  /** Which faults explain a failure of a call. @default those of the store, and of its process */
  readonly explains?: Explains;
  /** How long a claim may wait without a fault, in ms. @default 30_000 */
  readonly patience?: number;
  /** The same in a calm phase, with short holds, in ms. @default 15_000 */
  readonly calmPatience?: number;
}

const ofStoreOrProcess: Explains = ({ hit }, process) => hit === undefined || hit === process;

/**
 * The guarantees of the library that a history violates, by time. The events of each process must
 * be in their order, and so must those of the guarded resource.
 *
 * - `exclusion`: two leases that exclude each other are never certainly held simultaneously, and no
 *   more than `permits` share a key. "Certainly" is by the leases' `remaining`, so that a paused
 *   process explains exactly the overlap that its own lease allows.
 * - `slots`: in each slot of `once` at most one call runs.
 * - `tokens`: no token is granted twice, and each exceeds those of earlier grants that it excludes.
 * - `writes`: the guarded resource loses no write, accepts no stale one, and refuses none of a
 *   certain holder.
 * - `answers`: a loss, and what `release` and `renew` returned, is true.
 * - `told`: if requested, a loss is reported before the promised end, or as soon as its process
 *   runs again.
 * - `order`: if declared, waiters are granted in the order in which they came; those that waited
 *   during a fault, from `calmPatience` later on.
 * - `liveness`: every call is answered, and in time if there is no fault.
 * - `failures`: each is one that its call may have, and that a fault explains. No call reports a
 *   key as busy while the store cannot answer.
 */
export function checkHistory(events: readonly HistoryEvent[], options: CheckHistoryOptions = {}): Violation[] {
  const { sharersMayTie = false, requestsMayRepeat = false, explains = ofStoreOrProcess } = options;
  const { emptying = [], forgetting = emptying, refusing = [], restoring = [] } = options;
  const { stopping, fair = false, silences = () => false } = options;
  const { patience = 30_000, calmPatience = 15_000 } = options;
  const claims = readClaims(events, forgetting, restoring);
  const found = [
    ...checkExclusion(claims),
    ...checkSlots(claims),
    ...checkTokens(claims, sharersMayTie),
    ...checkWrites(events, claims),
    ...checkAnswers(claims, events, new Set(emptying), requestsMayRepeat),
    ...(stopping === undefined ? [] : checkTold(claims, events, new Set(stopping))),
    ...(fair ? checkOrder(claims, events, calmPatience) : []),
    ...checkLiveness(claims, events, { healed: patience, calm: calmPatience }),
    ...checkFailures(claims, events, explains, refusing),
    ...checkBusy(claims, events, silences),
  ];
  // Two rules may find the same.
  const byMessage = new Map(found.map((violation) => [violation.message, violation]));
  return [...byMessage.values()].toSorted((one, other) => one.at - other.at);
}
