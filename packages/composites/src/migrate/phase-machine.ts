import { entering, initialPhase, nextStep } from './decisions.ts';
import type { PhaseState } from './decisions.ts';
import type { End, Phase } from './phase.ts';

/** What the machine asks for in the stores. */
export interface StoreSteps {
  /** Takes the presence of `end`. Then calls `stepped`, or `failed`. */
  announce(end: End): void;
  /** Looks for presences of the other end. Then calls `looked`, or `failed`. */
  look(end: End): void;
  /** Looks for a mark of a process that left `end`. Then calls `looked`, or `failed`. */
  check(end: End): void;
  /** Leaves a mark in the store of the other end. Then calls `stepped`, or `failed`. */
  mark(end: End): void;
  /** Finds the floor of tokens under `end`. Then calls `probed`, or `failed`. */
  probe(end: End): void;
  /** Gives the presence back. */
  withdraw(end: End): void;
}

/** What the machine asks of the world around it. */
export interface PhaseWorld {
  readonly steps: StoreSteps;
  /** Calls `retry` later. */
  pause(): void;
  /** Whether leases or attempts under the end are left. */
  inUse(): boolean;
  /** New attempts begin under another phase than before. */
  changed(): void;
}

/** Moves one process between the phases: an explicit state machine, whose state is plain data. */
export class PhaseMachine {
  readonly #world: PhaseWorld;
  readonly state: PhaseState;

  constructor(world: PhaseWorld, state: PhaseState = initialPhase('both')) {
    this.#world = world;
    this.state = state;
  }

  /** The configuration says so from now on. */
  desire(phase: Phase): void {
    if (this.state.desired === phase) return;
    this.state.desired = phase;
    this.goOn();
  }

  stepped(): void {
    const { state } = this;
    state.underWay = false;
    state.done += 1;
    if (state.done === entering.length) state.epoch += 1;
    this.goOn();
  }

  /** `inTheWay`: there are presences of the other end, or there is a mark. */
  looked(inTheWay: boolean): void {
    if (inTheWay) this.failed();
    else this.stepped();
  }

  probed(floor: bigint): void {
    this.state.floor = floor;
    this.stepped();
  }

  /** A step has failed, or others are in the way. */
  failed(): void {
    this.state.underWay = false;
    this.state.refused = true;
    this.goOn();
  }

  /** A while after it was refused. */
  retry(): void {
    this.state.refused = false;
    this.goOn();
  }

  /** The presence has ended against the will of the process: so have the leases under the end. */
  lost(): void {
    const { state } = this;
    const { acting } = state;
    this.#apart();
    state.refused = true;
    this.#world.pause();
    if (acting) this.#world.changed();
  }

  /** Takes the next step, if there is one. Called when a lease or an attempt under the end ends. */
  goOn(): void {
    const { state } = this;
    const step = nextStep(state, this.#world.inUse());
    switch (step) {
      case 'announce':
      case 'look':
      case 'check':
      case 'mark':
      case 'probe':
        state.end ??= state.desired as End;
        state.underWay = true;
        this.#world.steps[step](state.end);
        break;
      case 'act':
        state.acting = true;
        this.#world.changed();
        break;
      case 'leave':
        state.acting = false;
        this.#world.changed();
        this.goOn();
        break;
      case 'withdraw':
        this.#withdraw();
        break;
      case 'wait':
        break;
      default:
        step satisfies never;
    }
  }

  #withdraw(): void {
    const { state } = this;
    const { end } = state;
    this.#apart();
    if (end !== undefined) this.#world.steps.withdraw(end);
    if (state.refused) this.#world.pause();
    this.goOn();
  }

  #apart(): void {
    Object.assign(this.state, { end: undefined, done: 0, underWay: false, acting: false });
  }
}
