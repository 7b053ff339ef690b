import type * as Decisions from '../../../src/migrate/decisions.ts';
import type { Scope } from '../../../src/migrate/decisions.ts';
import type { PhaseMachine } from '../../../src/migrate/phase-machine.ts';
import type { End } from '../../../src/migrate/phase.ts';
import type { Call, Process, Setting, World } from './world.ts';

/** The code under test: that code of `src/migrate`, or a weaker form of it. */
export interface Rules extends Pick<
  typeof Decisions,
  'scopeOf' | 'mayHold' | 'countsOnEnd' | 'heldUntil' | 'renewalStep' | 'keepsPlace' | 'lifting'
> {
  readonly PhaseMachine: typeof PhaseMachine;
}

/** The process that a claim belongs to. */
export interface Owner {
  readonly setting: Setting;
  readonly world: World;
  readonly rules: Rules;
  readonly machine: PhaseMachine;
  readonly self: Process;
  readonly now: number;
  readonly present: boolean;
  readonly presentUntil: number;
  scope(): Scope;
  newNumber(): number;
  send(kind: Call['kind'], store: number, about: Call['about'], more: Partial<Pick<Call, 'number' | 'token'>>): void;
  storeOf(end: End): number;
}
