/** The process that timers belong to. While its event loop is blocked, they are late. */
export interface TimerOwner {
  /** The time of the timeline until which nothing of this owner runs. */
  readonly busyUntil: number;
}

/** A callback that is due at a time of the timeline. */
export interface VirtualTimer {
  at: number;
  readonly owner: TimerOwner;
  readonly callback: () => void;
  keepAlive: boolean;
}

/** Virtual time, shared by the runtimes in it. It moves only when a test calls `advance`. */
export class Timeline {
  /** In ms. */
  now = 1_000;
  /** Unique ids given so far. */
  ids = 0;
  readonly timers: Set<VirtualTimer> = new Set();

  /**
   * Moves time on, timer by timer, and lets everything that follows from one happen before the
   * next.
   */
  async advance(ms: number): Promise<void> {
    const end = this.now + ms;
    await drained();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.now = Math.max(this.now, timer.at, timer.owner.busyUntil);
      this.timers.delete(timer);
      timer.callback();
      await drained();
    }
    this.now = Math.max(this.now, end);
    await drained();
  }

  #next(end: number): VirtualTimer | undefined {
    let next: VirtualTimer | undefined;
    let earliest = end;
    for (const timer of this.timers) {
      const at = Math.max(timer.at, timer.owner.busyUntil);
      if (at > earliest || (at === earliest && next !== undefined && timer.at >= next.at)) continue;
      next = timer;
      earliest = at;
    }
    return next;
  }
}

/**
 * Resolves when no promise callback is pending: Node takes its next tick after the last of them.
 */
function drained(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
