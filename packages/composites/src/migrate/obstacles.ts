import { outerOwner } from '../members/member.ts';
import type { StoreHolder } from './holders.ts';
import { ends, goneBy, phaseOf, phaseWords } from './phase.ts';
import type { End, PhaseWord } from './phase.ts';
import type { MigrationProcess, MigrationStatus, Obstacle } from './status.ts';

/** More of one kind would hide the others. */
const mostNamed = 5;

type Facts = Omit<MigrationStatus, 'obstacles'>;

/** The expected and seen participants. */
interface Crowd {
  /** How many processes there are to be. */
  readonly expected: number | undefined;
  /** The migrations whose processes were seen. */
  readonly names: ReadonlySet<string>;
}

/** Why not the whole fleet is in a phase, for each phase. */
export function obstaclesIn(facts: Facts, crowd: Crowd): MigrationStatus['obstacles'] {
  const first = crowdOf(facts, crowd);
  const entries = phaseWords.map((word) => [word, [...first, ...obstaclesTo(word, facts)]]);
  return Object.fromEntries(entries) as MigrationStatus['obstacles'];
}

function obstaclesTo(word: PhaseWord, facts: Facts): readonly Obstacle[] {
  const [phase, gone] = [phaseOf(word), goneBy(word)];
  const asked = ends.filter((end) => end !== gone);
  const away = facts.processes.filter(
    ({ desired, effective, presence = phase }) =>
      phaseOf(desired) !== phase || effective !== phase || presence !== phase,
  );
  const { safeIn = 0 } = phase === 'both' || away.length === 0 ? {} : facts[phase];
  const kept = phase === 'both' || gone !== undefined ? [] : facts.inBoth;
  return [
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

/** Whether the processes are the expected ones. */
function crowdOf({ name, processes }: Facts, { expected, names }: Crowd): readonly Obstacle[] {
  const count = processes.length;
  if (count === 0) {
    const elsewhere = [...names]
      .filter((other) => other !== name)
      .map((other) => `processes take part under the name "${other}"`);
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
