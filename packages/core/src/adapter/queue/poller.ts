import type { Runtime, TimerHandle } from '../../time/runtime.ts';
import type { FoundTurn, Look } from './queue-parts.ts';
import type { QueuedClaims } from './queued-claims.ts';

/**
 * Finds turns by polling: one query for all waiting claims. Runs while a claim waits, one look at a
 * time.
 */
export class Poller {
  readonly #look: Look;
  readonly #claims: QueuedClaims;
  readonly #runtime: Runtime;
  /** `stale`: a look was requested during one in progress, which may have missed the turn. */
  #stage: 'idle' | 'looking' | 'stale' | 'closed' = 'idle';
  #timer: TimerHandle | undefined = undefined;
  #heard = false;

  constructor(look: Look, claims: QueuedClaims, runtime: Runtime) {
    this.#look = look;
    this.#claims = claims;
    this.#runtime = runtime;
  }

  /** Polls from now on, while a claim waits. `heard`: as often as beside a listener. */
  start(heard: boolean): void {
    if (heard !== this.#heard) this.#stop();
    this.#heard = heard;
    const { heardInterval, interval } = this.#look;
    if (this.#stage !== 'idle' || this.#timer !== undefined || this.#claims.size === 0) return;
    const pause = heard ? heardInterval : interval();
    // A waiter keeps the process running by its own timer.
    if (pause !== undefined) this.#timer = this.#runtime.setTimer(() => void this.#find(), pause, false);
  }

  /** Looks immediately, if it polls beside a listener at all. */
  lookNow(): void {
    if (this.#look.heardInterval === undefined) return;
    if (this.#stage === 'looking') this.#stage = 'stale';
    if (this.#stage === 'idle') void this.#find();
  }

  close(): void {
    this.#stage = 'closed';
    this.#stop();
  }

  #stop(): void {
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  async #find(): Promise<void> {
    this.#stop();
    this.#stage = 'looking';
    try {
      const keys = this.#claims.keys();
      const sentAt = this.#runtime.clock.exact();
      const turns = keys.length === 0 ? [] : await this.#look.turns(keys);
      if (!this.#isClosed) for (const turn of turns) this.#wake(turn, sentAt);
    } catch {
      // The next look may succeed. A claim in the queue also asks at its own interval.
    }
    if (this.#isClosed) return;
    const again = this.#isStale;
    this.#stage = 'idle';
    if (again) this.lookNow();
    else this.start(this.#heard);
  }

  #wake({ owner, assigned }: FoundTurn, sentAt: number): void {
    const by = this.#heard ? 'look' : 'poll';
    if (assigned === undefined) this.#claims.notify(owner, by);
    else this.#claims.assign(owner, { ...assigned, sentAt }, by);
  }

  get #isClosed(): boolean {
    return this.#stage === 'closed';
  }

  get #isStale(): boolean {
    return this.#stage === 'stale';
  }
}
