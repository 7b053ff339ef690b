import { uptime } from 'node:os';
import { performance as machine } from 'node:perf_hooks';
import { createClock } from './clock.ts';
import type { Clock } from './clock.ts';

/** The timers that `source` belongs to. */
let timers = setTimeout;
/** The same, while time is that of the machine. */
let realTimers: unknown = timers;
/** The source of time. */
let source: { now(): number } = machine;
/** Added to its readings, in ms, so that time continues where the source is replaced. */
let ahead = 0;
/** The latest fake time, which cannot be read after its end. */
let latest = 0;

/** Called when the timers were replaced. */
let moveTimers: () => void = () => {};

function monotonic(): number {
  // All fake timers replace this one. Reading `performance` would cost a tenth of a pair in memory,
  // and reading what may be replaced a thirtieth.
  if (setTimeout === realTimers) return machine.now() + ahead;
  return fakeOrMoved();
}

function fakeOrMoved(): number {
  if (setTimeout !== timers) change();
  const now = source.now() + ahead;
  if (source === machine) realTimers = timers;
  else latest = now;
  return now;
}

function change(): void {
  realTimers = undefined;
  timers = setTimeout;
  const before = source === machine ? machine.now() + ahead : latest;
  // Those of `node:test` have no `performance`, and may have a `Date`, which is marked so.
  source = 'isMock' in Date ? Date : performance;
  ahead = before - source.now();
  moveTimers();
}

/** Calls `move` when fake timers were installed or removed: earlier ones may never fire. */
export function onTimersChanged(move: () => void): void {
  moveTimers = move;
}

/** The clock of this process. */
export const systemClock: Clock = createClock({
  monotonic,
  // Elsewhere os.uptime() follows the wall clock or costs more; macOS and Windows keep
  // performance.now() running or stop both. Fake time is no time that the machine slept.
  sinceBoot: () => (process.platform === 'linux' ? uptime() * 1_000 - machine.now() + monotonic() : undefined),
  wall: Date.now,
  origin: machine.timeOrigin,
});

/** How early timers of Node fire, in ms. With less, `fired` would change real time. */
const early = 2;

/**
 * A timer fires that was due at `at`, in ms of `systemClock.now()`. If fake timers have no clock,
 * that of the process advances to `at`.
 */
export function fired(at: number): void {
  const behind = at - systemClock.now();
  if (behind > early && source === machine) ahead += behind;
}
