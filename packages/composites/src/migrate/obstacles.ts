import { outerOwner } from '../members/member.ts';
import type { FleetFacts, MigrationProcess, MigrationStore } from './fleet.ts';
import type { StoreHolder } from './holders.ts';
import { ends, isForced, oppositeOf, phaseOf } from './phase.ts';
import type { End, PhaseWord } from './phase.ts';

/** One thing that keeps a fleet from being all in a phase. */
export interface Obstacle {
  /**
   * `processes`: there are none, or not as many as there are to be.
   * `process`: one is elsewhere, or on its way.
   * `store`: one does not answer.
   * `tokens`: those of the phase's store are behind.
   * `lock`: a lock is held in one store alone.
   * `lease`: a lease is held in both stores, and needs both of them until its next renewal.
   */
  readonly kind: 'processes' | 'process' | 'store' | 'tokens' | 'lock' | 'lease';
  /** Says it, for people. */
  readonly what: string;
}

/** More of one kind would hide the others. */
const mostNamed = 5;

/**
 * Why the fleet is not all in a phase. Empty: it is. With `!` the other store is left out: its
 * answers and its locks.
 */
export function obstaclesTo(word: PhaseWord, facts: FleetFacts): readonly Obstacle[] {
  const phase = phaseOf(word);
  const left = phase === 'both' ? ends : isForced(word) ? [] : [oppositeOf(phase)];
  const asked = isForced(word) ? ends.filter((end) => end === phase) : ends;
  const { processes, stores, inBoth } = facts;
  const away = processes.filter(
    ({ desired, effective, presence = phase }) =>
      phaseOf(desired) !== phase || effective !== phase || presence !== phase,
  );
  return [
    ...crowd(facts),
    ...named('process', away.map(placeOf)),
    ...(phase === 'both' || away.length === 0 ? [] : tokens(stores, phase)),
    ...asked.filter((end) => stores[end].error !== undefined).map((end) => silent(end, stores[end])),
    ...left.flatMap((end) =>
      named(
        'lock',
        (stores[end].alone ?? []).map((holder) => describeLone(end, holder)),
      ),
    ),
    ...(phase === 'both' || isForced(word) ? [] : named('lease', inBoth.map(describeLease))),
  ];
}

/** Whether the processes are those that there are to be. */
function crowd({ name, processes, expected, others }: FleetFacts): readonly Obstacle[] {
  const count = processes.length;
  const say = (what: string): Obstacle => ({ kind: 'processes', what });
  if (count === 0) {
    const other = (each: string): Obstacle => say(`processes take part under the name "${each}"`);
    return [say(`no process takes part under the name "${name}"`), ...others.map(other)];
  }
  if (expected === undefined || count === expected) return [];
  return [say(`${count} ${count === 1 ? 'process takes' : 'processes take'} part, not ${expected}`)];
}

function placeOf({ process, desired, effective, presence }: MigrationProcess): string {
  const wants = phaseOf(desired) === effective ? '' : `, is to be in "${desired}"`;
  const enters = presence === undefined || presence === effective ? '' : `, enters or leaves "${presence}"`;
  return `${process} takes locks in "${effective}"${wants}${enters}`;
}

function tokens(stores: FleetFacts['stores'], end: End): readonly Obstacle[] {
  const { safeIn = 0 } = stores[end];
  if (safeIn === 0) return [];
  return [
    { kind: 'tokens', what: `tokens of "${end}" are behind those of "${oppositeOf(end)}" for ${safeIn} ms more` },
  ];
}

function silent(end: End, { store }: MigrationStore): Obstacle {
  return { kind: 'store', what: `the store "${end}" (${store}) does not answer` };
}

function describeLone(end: End, { key, owner, plain, remaining }: StoreHolder): string {
  return `${JSON.stringify(key)} is held in "${end}" ${plain ? 'without migrate' : 'alone'}, by ${outerOwner(owner)}${lasts(remaining)}`;
}

function describeLease({ key, owner, remaining }: StoreHolder): string {
  return `${JSON.stringify(key)} is held in both stores until its next renewal, by ${outerOwner(owner)}${lasts(remaining)}`;
}

function lasts(remaining: number | undefined): string {
  return remaining === undefined ? '' : `, for ${Math.ceil(remaining)} ms more`;
}

function named(kind: Obstacle['kind'], all: readonly string[]): readonly Obstacle[] {
  const told = all.length <= mostNamed ? all : [...all.slice(0, mostNamed), `${all.length - mostNamed} more`];
  return told.map((what) => ({ kind, what }));
}
