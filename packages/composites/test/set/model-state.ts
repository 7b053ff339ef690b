import type { ChangePlan } from '../../src/set/change-quorum.ts';
import type { Told } from '../../src/set/set-record.ts';

/** `no rule`: an operator begins a change while processes of the set before the last run. */
export type Flaw = 'no rule' | 'no proposal';

/** Sets are written as the letters of their stores, which are their ids. */
export interface Story {
  readonly first: string;
  readonly processes: readonly string[];
  /** One after the other, or simultaneous where the first two begin from `first`. */
  readonly changes: readonly string[];
  readonly simultaneous?: boolean;
  readonly emptied?: number;
  /** How often the first process starts. The others start once. @default 1 */
  readonly starts?: number;
  readonly flaw?: Flaw;
}

export interface Process {
  readonly state: 'off' | 'reading' | 'acting' | 'refused';
  readonly starts: number;
  /** While it acts, members without an answer have no vote. */
  readonly told: readonly Told[];
}

export interface Change {
  readonly state: 'idle' | 'writing' | 'failed' | 'done';
  readonly told: readonly Told[];
  readonly plan: ChangePlan | undefined;
  /** Which of the epochs of its plan. */
  readonly step: number;
  /** How many members were asked in this step. */
  readonly asked: number;
}

export interface State {
  readonly registers: Readonly<Record<string, string | undefined>>;
  readonly processes: readonly Process[];
  readonly changes: readonly Change[];
  readonly emptied: number;
}

export interface Event {
  readonly kind: 'reads' | 'reads late' | 'stops' | 'begins' | 'writes' | 'is emptied';
  readonly who: number;
  /** Which of the next members answer. */
  readonly answers?: readonly boolean[];
}

/** All choices of `count` stores. */
export function choices(stores: readonly string[], count: number): readonly (readonly string[])[] {
  if (count === 0) return [[]];
  return stores.flatMap((store, index) => choices(stores.slice(index + 1), count - 1).map((rest) => [store, ...rest]));
}
