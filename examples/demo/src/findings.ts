import type { Hold, KilledEvent, Turn } from './events.ts';

/** What happened in one run. */
export interface RunRecord {
  readonly turns: readonly Turn[];
  readonly killed: KilledEvent['turn'] | undefined;
  /** What the balance was in the end. */
  readonly balance: number;
}

/** What can be said about one run. */
export interface Findings {
  /** Updates that workers completed: what the balance should be. */
  readonly made: number;
  readonly actual: number;
  readonly lost: number;
  /** The most workers between reading and writing at one moment. */
  readonly inside: number;
  /** Ms from the first read to the last write. */
  readonly took: number;
  /** Missing without a lock. */
  readonly lock: LockFindings | undefined;
}

/** What can be said about the lock of a run. Waits are in ms. */
export interface LockFindings {
  readonly waits: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly firstToken: bigint;
  readonly lastToken: bigint;
  readonly tokensIncrease: boolean;
  /** How many holders were served before somebody who was in line before they asked. */
  readonly outOfTurn: number;
}

type Stay = Omit<Turn, 'balance'>;

/** Evaluates one run. */
export function evaluate({ turns, killed, balance }: RunRecord): Findings {
  const stays: Stay[] = killed === undefined ? [...turns] : [...turns, killed];
  stays.sort((a, b) => a.from - b.from);
  const holds = stays.flatMap(({ hold, from }) => (hold === undefined ? [] : [{ ...hold, granted: from }]));
  return {
    made: turns.length,
    actual: balance,
    lost: turns.length - balance,
    inside: mostAtOnce(stays),
    took: stays.reduce((latest, { until }) => Math.max(latest, until), 0) - (stays[0]?.from ?? 0),
    lock: evaluateLock(holds),
  };
}

type Granted = Hold & { readonly granted: number };

/** `holds` in the order in which they were granted. */
function evaluateLock(holds: readonly Granted[]): LockFindings | undefined {
  const [first] = holds;
  const last = holds.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const waits = holds.map(({ asked, granted }) => granted - asked).toSorted((a, b) => a - b);
  return {
    waits: { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99), max: percentile(waits, 1) },
    firstToken: first.token,
    lastToken: last.token,
    tokensIncrease: holds.every(({ token }, index) => index === 0 || token > (holds[index - 1] as Granted).token),
    outOfTurn: countOutOfTurn(holds),
  };
}

/** The nearest rank in `sorted`. */
function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}

/**
 * Asking takes a moment, so of two who ask at about the same time either may come first. Out of turn is only who asked when
 * another had already been told to wait, and was served before it.
 */
function countOutOfTurn(holds: readonly Granted[]): number {
  let count = 0;
  let earliestInLine = Infinity;
  for (const { asked, inLine = Infinity } of holds.toReversed()) {
    if (earliestInLine < asked) count += 1;
    earliestInLine = Math.min(earliestInLine, inLine);
  }
  return count;
}

function mostAtOnce(stays: readonly Stay[]): number {
  const steps = stays.flatMap(({ from, until }) => [
    { time: from, change: 1 },
    { time: until, change: -1 },
  ]);
  steps.sort((a, b) => a.time - b.time || a.change - b.change);
  let inside = 0;
  let most = 0;
  for (const { change } of steps) {
    inside += change;
    most = Math.max(most, inside);
  }
  return most;
}
