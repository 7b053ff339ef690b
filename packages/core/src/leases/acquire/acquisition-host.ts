import type { Settings } from '../../options/acquire-options.ts';
import type { TimerWheel } from '../../time/timer-wheel.ts';
import type { OwnWaits } from '../diagnostics/own-waits.ts';
import type { Closable, LinkedSet } from '../ending/linked-set.ts';
import type { LeaseHost } from '../hold/lease-host.ts';
import type { Frame } from '../reenter/flow.ts';
import type { HolderLookups } from './holder-lookups.ts';

/** What an acquisition needs from its client. */
export interface AcquisitionHost extends LeaseHost {
  /** The timers of waiting claims. They keep the process running. */
  readonly waitTimers: TimerWheel;
  readonly acquisitions: LinkedSet<Closable>;
  readonly lookups: HolderLookups;
  /** `undefined`: contexts detect own waits, or the warning is off. */
  readonly ownWaits: OwnWaits | undefined;
  readonly waiters: Waiters;
}

export interface AcquisitionCall {
  readonly key: string;
  readonly settings: Settings;
  /** Resolves to `null` instead of `LOCK_TIMEOUT`. */
  readonly orNull: boolean;
  /** What its caller's asynchronous context holds. */
  readonly inside?: Frame | undefined;
  /** The limit in ms, where it does not wait. @default its `wait` */
  readonly within?: number;
}

/** The number of acquisitions that wait: their first answer was busy. */
export class Waiters {
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
