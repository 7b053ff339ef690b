import { setImmediate as globalImmediate } from 'node:timers';
import type { Clock } from './clock.ts';
import { outsideContext } from './outside-context.ts';
import { fired, onTimersChanged, systemClock } from './system-clock.ts';

/** A pending timer. Its shape belongs to the runtime that made it. */
export type TimerHandle = object | number;

/** Everything core takes from the outside world. Inject another one to simulate schedules. */
export interface Runtime {
  /** The monotonic clock. */
  readonly clock: Clock;
  /**
   * Calls `callback` once, not before `delay` ms have passed, outside of the caller's asynchronous
   * context. Delays over 2^31 - 1 ms may fire early, so callers check the clock. With `keepAlive`
   * false the timer does not keep the process running.
   */
  setTimer(callback: () => void, delay: number, keepAlive: boolean): TimerHandle;
  /** Cancels a timer of `setTimer`. No effect on one that fired. */
  clearTimer(timer: TimerHandle): void;
  /** Whether a pending `timer` keeps the process running from now on. */
  keepAlive(timer: TimerHandle, keep: boolean): void;
  /** A number in [0, 1), for jitter. */
  random(): number;
  /** A string unique to this process: the unguessable part of owners. */
  uniqueId(): string;
  /**
   * For calls without I/O, as `await` alone starves timers and sockets of the process. Called at
   * the end of such a call, at `now` on the clock. Returns a promise to await first, or `undefined`
   * if the event loop has turned recently.
   * @default never needed
   */
  yieldIfDue?(now: number): Promise<void> | undefined;
}

const longestDelay = 2 ** 31 - 1;

/** As at the start: fake timers of a caller's test would block calls without I/O. */
const setImmediate = globalImmediate;

/**
 * How long calls without I/O may occupy the event loop, in ms. With more, timers are later. With
 * less, calls spend a larger part of their time here.
 */
const longestTurn = 10;
/** When the first call without I/O in this turn of the event loop ended. */
let turnBegan: number | undefined;

interface SystemTimer {
  readonly callback: () => void;
  /** When it is due, in ms of `systemClock.now()`. */
  readonly at: number;
  keepAlive: boolean;
  timeout?: NodeJS.Timeout;
  stop?: () => void;
}

const pending = new Set<SystemTimer>();

function start(timer: SystemTimer, ms: number): void {
  const fire = (): void => {
    pending.delete(timer);
    fired(timer.at);
    timer.callback();
  };
  const timeout = outsideContext(() => setTimeout(fire, ms));
  if (!timer.keepAlive) timeout.unref();
  const clear = clearTimeout;
  timer.timeout = timeout;
  timer.stop = () => clear(timeout);
}

onTimersChanged(() => {
  for (const timer of pending) {
    timer.stop?.();
    start(timer, Math.max(Math.ceil(timer.at - systemClock.now()), 0));
  }
});

/** The real clock, timers and randomness of this process. */
export const systemRuntime: Runtime = {
  clock: systemClock,
  setTimer(callback, delay, keepAlive) {
    // Node fires a delay of 2^31 ms or more immediately.
    const ms = Math.min(Math.max(delay, 0), longestDelay);
    const timer: SystemTimer = { callback, at: systemClock.now() + ms, keepAlive };
    pending.add(timer);
    start(timer, ms);
    return timer;
  },
  clearTimer(handle) {
    const timer = handle as SystemTimer;
    pending.delete(timer);
    timer.stop?.();
  },
  keepAlive(handle, keep) {
    const timer = handle as SystemTimer;
    timer.keepAlive = keep;
    if (keep) timer.timeout?.ref();
    else timer.timeout?.unref();
  },
  random: Math.random,
  // Loaded when first needed: it takes longer than this whole package.
  uniqueId: () => process.getBuiltinModule('node:crypto').randomBytes(12).toString('base64url'),
  yieldIfDue(now) {
    if (turnBegan === undefined) {
      turnBegan = now;
      setImmediate(endTurn);
      return undefined;
    }
    // A callback set now runs in the next turn, after timers and sockets.
    return now - turnBegan < longestTurn ? undefined : new Promise((resolve) => setImmediate(resolve));
  },
};

function endTurn(): void {
  turnBegan = undefined;
}

/**
 * A connection idle for longer, in ms, may have ended unnoticed: this process may have been stopped
 * meanwhile.
 */
export const longestTrusted = 100;

/**
 * Resolves once the event loop has polled its sockets again, and so noticed which have ended. One
 * turn is not enough: its poll may have been before this call.
 */
export function socketsHeard(): Promise<void> {
  hearing ??= new Promise((resolve) => {
    setImmediate(() => {
      hearing = undefined;
      setImmediate(resolve);
    });
  });
  return hearing;
}

/** One per turn: its calls continue together, and may share a request. */
let hearing: Promise<void> | undefined;
