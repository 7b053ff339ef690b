import { countsOnEnd, heldUntil, mayHold, renewalStep } from '../decisions.ts';
import type { Scope } from '../decisions.ts';
import type { Phase } from '../phase.ts';
import type { MigrationHost } from './migration-host.ts';

/** Until when a lease of a migration lasts, in ms of the clock. */
export class LeaseSpan {
  readonly #host: MigrationHost;
  #until = 0;
  /**
   * Until when core believes what it was told under an end. The other store may let go of a lease
   * before that was carried there. Until then the lease counts on the end alone.
   */
  #toldUntil = 0;

  constructor(host: MigrationHost) {
    this.#host = host;
  }

  /** When the lease ends, unless it is renewed. */
  get until(): number {
    return this.#until;
  }

  set until(until: number) {
    this.#until = until;
  }

  get lasts(): boolean {
    return this.now() < this.#until;
  }

  /** Core does not count on it any more. */
  get isOver(): boolean {
    return this.now() >= Math.max(this.#until, this.#toldUntil);
  }

  /** It ends before the presence does. */
  get isCovered(): boolean {
    return this.#until <= this.#presentUntil;
  }

  countsOnEnd(phase: Phase): boolean {
    return countsOnEnd({ phase, until: this.#until, toldUntil: this.#toldUntil }, this.now());
  }

  /** An attempt begins: core was told nothing yet. */
  begin(): void {
    this.#toldUntil = 0;
  }

  /** The lease is held from now on, or longer. Gives its validity, counted from `sentAt`. */
  extend(scope: Scope, sentAt: number, validity: number): number {
    const { keeper } = this.#host;
    const present = mayHold(scope, keeper.state, keeper.present);
    const { phase } = scope;
    const sheds = renewalStep(phase, keeper.scope()) === 'shed';
    // Both stores keep the lease for as long as core was told before. So it grows no longer than
    // the presence, until it can do without the other store.
    const presentUntil = present ? Math.max(this.#presentUntil, sheds ? this.#until : 0) : sentAt;
    const until = heldUntil(sheds ? keeper.scope().phase : phase, sentAt + validity, presentUntil);
    if (phase !== 'both') this.#toldUntil = until;
    else if (until >= this.#toldUntil) this.#toldUntil = 0;
    this.#until = Math.max(until, this.#toldUntil);
    return Math.max(0, this.#until - sentAt);
  }

  /** It lasts no longer than core was told under its end. */
  fallBack(): void {
    this.#until = this.#toldUntil;
  }

  now(): number {
    return this.#host.runtime.clock.now();
  }

  /** When the presence ends, unless it is renewed. */
  get #presentUntil(): number {
    return this.now() + this.#host.keeper.remaining;
  }
}
