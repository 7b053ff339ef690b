import { describeLone } from './holders.ts';
import type { DirectHolder } from './holders.ts';
import { ends, oppositeOf, phases } from './phase.ts';
import type { End, Phase } from './phase.ts';
import type { MigrationProcess } from './process-signs.ts';
import type { MigrationStore } from './store-status.ts';

/** One step of a migration, for the whole fleet. */
export interface MigrationStep {
  /**
   * What each process is to have next: a phase, or the provider of one store, without `migrate`:
   * `plain from`, `plain to`.
   */
  readonly step: Phase | 'plain from' | 'plain to';
  /** Whether it may be taken now. */
  readonly allowed: boolean;
  /** Why not. Empty where it may. */
  readonly why: readonly string[];
  /** Option `tokenFloor` without which a plain provider must not begin. */
  readonly tokenFloor?: string;
}

/** The steps from where the fleet is. */
export interface NextSteps {
  /** Towards the end of the migration. */
  readonly forward: MigrationStep;
  /** Absent: no process takes part, so there is no way back. */
  readonly back?: MigrationStep;
}

/** What the stores tell of the fleet. */
export interface FleetFacts {
  readonly name: string;
  readonly processes: readonly MigrationProcess[];
  readonly stores: Readonly<Record<End, MigrationStore>>;
  /** Holds in the store of an end that the other store has not, while no process acts there. */
  readonly alone: Readonly<Record<End, readonly DirectHolder[]>>;
  /** Processes left that end for the other one, and the fleet has not been in both since. */
  readonly left: Readonly<Record<End, boolean>>;
  /** Labels that two processes have. */
  readonly doubled: readonly string[];
  /** Names of other migrations whose processes were seen. */
  readonly others: readonly string[];
  /** How many processes there are to be. */
  readonly expected: number | undefined;
  /** The store that is gone, by the word of an operator. */
  readonly without: End | undefined;
}

/** More names would hide the other reasons. */
const mostNamed = 5;

/** The step forward and the step back. A step that is under way comes before the one after it. */
export function nextSteps(facts: FleetFacts): NextSteps {
  const places = facts.processes.map(({ desired }) => phases.indexOf(desired));
  const [lowest, highest] = [Math.min(...places), Math.max(...places)];
  if (places.length === 0) return { forward: phaseStep(facts, 'both') };
  if (lowest === highest) {
    const phase = phases[lowest] as Phase;
    if (phase === 'both') return { forward: phaseStep(facts, 'to'), back: phaseStep(facts, 'from') };
    const [both, plain] = [phaseStep(facts, 'both'), plainStep(facts, phase)];
    return phase === 'to' ? { forward: plain, back: both } : { forward: both, back: plain };
  }
  const [back, forward] = highest - lowest === 2 ? (['both', 'both'] as const) : [phases[lowest], phases[highest]];
  return { forward: phaseStep(facts, forward as Phase), back: phaseStep(facts, back as Phase) };
}

/** Why the fleet is not all in `phase`. Empty: it is. */
export function obstaclesTo(phase: Phase, facts: FleetFacts): readonly string[] {
  const late = facts.processes.filter(({ desired, effective }) => desired !== phase || effective !== phase);
  const left = phase === 'both' ? ends : [oppositeOf(phase)];
  const barred = late.length > 0 && phase !== 'both' ? marked(facts, phase) : [];
  return [...crowd(facts), ...named(late.map(placeOf)), ...barred, ...silent(facts), ...plainLocks(facts, left)];
}

function phaseStep(facts: FleetFacts, step: Phase): MigrationStep {
  // `both` excludes the processes of each phase, so it needs the two stores alone.
  if (step === 'both') {
    const others = facts.processes.length === 0 ? wrongName(facts) : [];
    return stepOf(step, [...silent({ ...facts, without: undefined }), ...others]);
  }
  const other = oppositeOf(step);
  const away = facts.processes.filter(({ desired, effective }) => desired === other || effective === other);
  const alone = facts.alone[other].map((holder) => describeLone(other, holder));
  return stepOf(step, [
    ...crowd(facts),
    ...named(away.map(placeOf)),
    ...silent(facts),
    ...marked(facts, step),
    ...plainLocks(facts, [other]),
    ...named(alone),
  ]);
}

function plainStep(facts: FleetFacts, end: End): MigrationStep {
  const { tokenFloor } = facts.stores[end];
  const step = stepOf(`plain ${end}`, obstaclesTo(end, facts));
  return tokenFloor === undefined ? step : { ...step, tokenFloor };
}

function stepOf(step: MigrationStep['step'], why: readonly string[]): MigrationStep {
  return { step, allowed: why.length === 0, why };
}

/** Whether the processes are those that there are to be. */
function crowd(facts: FleetFacts): readonly string[] {
  const { name, processes, expected, doubled } = facts;
  const count = processes.length;
  if (count === 0) return [`no process takes part under the name "${name}"`, ...wrongName(facts)];
  const wrong = expected !== undefined && count !== expected;
  return [
    ...(wrong ? [`${count} ${count === 1 ? 'process takes' : 'processes take'} part, not ${expected}`] : []),
    ...doubled.map((label) => `two processes are called "${label}", or one that has just restarted`),
  ];
}

function wrongName({ others }: FleetFacts): readonly string[] {
  return others.map((other) => `processes take part under the name "${other}": use that name if it is this migration`);
}

function placeOf({ process, effective, desired }: MigrationProcess): string {
  return `${process} is in "${effective}"${effective === desired ? '' : `, waits for "${desired}"`}`;
}

function silent({ stores, without }: FleetFacts): readonly string[] {
  const mute = ends.filter((end) => end !== without && stores[end].error !== undefined);
  return mute.map((end) => `the store "${end}" (${stores[end].store}) does not answer`);
}

/** Why no process enters `end`. */
function marked({ left }: FleetFacts, end: End): readonly string[] {
  if (!left[end]) return [];
  return [`processes went on to "${oppositeOf(end)}": "${end}" comes after phase "both", for some seconds`];
}

/** Locks of processes without `migrate`. */
function plainLocks({ stores }: FleetFacts, at: readonly End[]): readonly string[] {
  const held = at.flatMap((end) => {
    const direct = stores[end].direct ?? [];
    return direct.map(({ key, owner }) => `${JSON.stringify(key)} is held in "${end}" without migrate, by ${owner}`);
  });
  return named(held);
}

function named(all: readonly string[]): readonly string[] {
  return all.length <= mostNamed ? all : [...all.slice(0, mostNamed), `${all.length - mostNamed} more`];
}
