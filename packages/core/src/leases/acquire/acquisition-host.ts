import type { Settings } from '../../options/acquire-options.ts';
import type { TimerWheel } from '../../time/timer-wheel.ts';
import type { OwnWaits } from '../diagnostics/own-waits.ts';
import type { Closable, LinkedSet } from '../ending/linked-set.ts';
import type { LeaseHost } from '../hold/lease-host.ts';
import type { Frame } from '../reenter/flow.ts';
import type { HolderLookups } from './holder-lookups.ts';

/** What an acquisition needs from the `Locks` that started it. */
export interface AcquisitionHost extends LeaseHost {
  /** The timers of waiting claims. They keep the process running. */
  readonly waitTimers: TimerWheel;
  readonly acquisitions: LinkedSet<Closable>;
  /** Finds the holders of a key, for the messages of timeouts. */
  readonly lookups: HolderLookups;
  /** `undefined`: contexts tell who waits for itself, or are not to tell. */
  readonly ownWaits: OwnWaits | undefined;
  readonly waiters: Waiters;
}

/** What a caller asks for. */
export interface AcquisitionCall {
  readonly key: string;
  readonly settings: Settings;
  /** A lock that is not free in time resolves to `null` instead of rejecting. */
  readonly orNull: boolean;
  /** What its caller's asynchronous context holds. */
  readonly inside?: Frame | undefined;
  /** How long it may take, in ms, where it does not wait. @default its `wait` */
  readonly within?: number;
}

/** How many of the acquisitions wait: their first answer was busy. */
export class Waiters {
  /** There may be so many. */
  readonly most: number;
  #count = 0;

  constructor(most: number) {
    this.most = most;
  }

  get full(): boolean {
    return this.#count >= this.most;
  }

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
  }
}
