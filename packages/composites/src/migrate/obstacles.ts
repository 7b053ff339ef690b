import { outerOwner } from '../members/member.ts';
import type { StoreHolder } from './holders.ts';
import { ends, goneBy, phaseOf } from './phase.ts';
import type { End, PhaseWord } from './phase.ts';
import type { FleetFacts, MigrationProcess, MigrationStatus } from './status.ts';

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

/** What `migrationStatus` gives. */
export function statusOf({ others, expected, ...told }: FleetFacts): MigrationStatus {
  const facts = { ...told, others, expected };
  const [from, both, to] = [obstaclesTo('from', facts), obstaclesTo('both', facts), obstaclesTo('to', facts)];
  return { ...told, obstacles: { from, both, to } };
}

/**
 * Why the fleet is not all in a phase. Empty: it is. With `!` the other store is left out: its
 * answers and its locks.
 */
export function obstaclesTo(word: PhaseWord, facts: FleetFacts): readonly Obstacle[] {
  const [phase, gone] = [phaseOf(word), goneBy(word)];
  const asked = ends.filter((end) => end !== gone);
  const away = facts.processes.filter(
    ({ desired, effective, presence = phase }) =>
      phaseOf(desired) !== phase || effective !== phase || presence !== phase,
  );
  const { safeIn = 0 } = phase === 'both' || away.length === 0 ? {} : facts[phase];
  const kept = phase === 'both' || gone !== undefined ? [] : facts.inBoth;
  return [
    ...crowd(facts),
    ...named('process', away.map(placeOf)),
    ...named(
      'tokens',
      safeIn === 0 ? [] : [`tokens of "${phase}" are behind those of the other store for ${safeIn} ms more`],
    ),
    ...asked.flatMap((end) => {
      const { store, error } = facts[end];
      return named('store', error === undefined ? [] : [`the store "${end}" (${store}) does not answer`]);
    }),
    ...asked.filter((end) => end !== phase).flatMap((end) => named('lock', facts[end].alone?.map(inOne(end)) ?? [])),
    ...named(
      'lease',
      kept.map((holder) => leaseOf(holder, 'in both stores until its next renewal')),
    ),
  ];
}

/** Whether the processes are those that there are to be. */
function crowd({ name, processes, expected, others }: FleetFacts): readonly Obstacle[] {
  const count = processes.length;
  if (count === 0) {
    const elsewhere = others.map((other) => `processes take part under the name "${other}"`);
    return [`no process takes part under the name "${name}"`, ...elsewhere].map((what) => ({
      kind: 'processes',
      what,
    }));
  }
  if (expected === undefined || count === expected) return [];
  return named('processes', [`${count} ${count === 1 ? 'process takes' : 'processes take'} part, not ${expected}`]);
}

function placeOf({ process, desired, effective, presence }: MigrationProcess): string {
  const wants = phaseOf(desired) === effective ? '' : `, is to be in "${desired}"`;
  const enters = presence === undefined || presence === effective ? '' : `, enters or leaves "${presence}"`;
  return `${process} takes locks in "${effective}"${wants}${enters}`;
}

function inOne(end: End): (holder: StoreHolder) => string {
  return (holder) => leaseOf(holder, `in "${end}" ${holder.plain ? 'without migrate' : 'alone'}`);
}

function leaseOf({ key, owner, remaining }: StoreHolder, where: string): string {
  const lasts = remaining === undefined ? '' : `, for ${Math.ceil(remaining)} ms more`;
  return `${JSON.stringify(key)} is held ${where}, by ${outerOwner(owner)}${lasts}`;
}

function named(kind: Obstacle['kind'], all: readonly string[]): readonly Obstacle[] {
  const told = all.length <= mostNamed ? all : [...all.slice(0, mostNamed), `${all.length - mostNamed} more`];
  return told.map((what) => ({ kind, what }));
}
