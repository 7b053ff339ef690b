import { readClaims } from '@locks/conformance/history';
import type { RunLog, WorkerEvent } from '../log/events.ts';
import { historyOf } from '../log/history-of.ts';

/**
 * What processes did under one phase, as the benchmarks have results. Times are in ms; faults are
 * part of it.
 */
export interface PhaseFigures {
  readonly scenario: 'migration';
  readonly migration: string;
  /** The phase. */
  readonly subject: string;
  /** Of one process, with its flows. */
  readonly perSecond: number;
  /** From the call to the grant. */
  readonly p50: number;
  readonly p99: number;
  /** Of all processes, in seconds. */
  readonly time: number;
}

const order = ['from', 'both', 'to'];

interface Stay {
  readonly migration: string;
  readonly phase: string;
  readonly from: number;
  readonly until: number;
}

/** The figures of each migration under each phase. */
export function readPhaseFigures(log: RunLog): PhaseFigures[] {
  const groups = new Map<string, { migration: string; phase: string; time: number; waits: number[] }>();
  const groupOf = ({ migration, phase }: Stay) => {
    const name = `${migration} ${phase}`;
    const known = groups.get(name) ?? { migration, phase, time: 0, waits: [] };
    groups.set(name, known);
    return known;
  };
  const stays = new Map([...log.workers].map(([worker, events]) => [worker, staysOf(events)]));
  for (const own of stays.values()) for (const stay of own) groupOf(stay).time += stay.until - stay.from;
  for (const { process, grantedAt, calledAt, id } of readClaims(historyOf(log))) {
    if (grantedAt === undefined || id.includes('/keeper/')) continue;
    const stay = stays.get(process)?.findLast(({ from }) => from <= grantedAt);
    if (stay !== undefined) groupOf(stay).waits.push(grantedAt - calledAt);
  }
  const sorted = [...groups.values()].toSorted((one, other) => order.indexOf(one.phase) - order.indexOf(other.phase));
  return sorted.map(({ migration, phase, time, waits }) => {
    const ascending = waits.toSorted((one, other) => one - other);
    const at = (share: number): number => ascending[Math.floor(ascending.length * share)] ?? 0;
    const seconds = time / 1_000;
    const perSecond = ascending.length / seconds;
    const name = { scenario: 'migration', migration, subject: phase } as const;
    return { ...name, perSecond, p50: at(0.5), p99: at(0.99), time: seconds };
  });
}

/** The lines of the report. */
export function describeFigures({ control }: RunLog, phases: readonly PhaseFigures[]): readonly string[] {
  const changes = control.filter((event) => event.type === 'change');
  const longest = changes.reduce((most, { at, after }) => Math.max(most, at - after), 0) / 1_000;
  return [
    `  changes     ${changes.length}, complete ${longest.toFixed(1)} s after the last fault at most`,
    ...phases.map(
      ({ migration, subject, perSecond, p50, p99, time }) =>
        `  ${`${migration}, ${subject}`.padEnd(28)} ${perSecond.toFixed(0)} grants per second and process, ` +
        `waits median ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, in ${time.toFixed(0)} s`,
    ),
  ];
}

/** From when until when the process was under which phase. */
function staysOf(events: readonly WorkerEvent[]): readonly Stay[] {
  // The process that keeps a lease does nothing else.
  if (events.some((event) => 'id' in event && event.id.includes('/keeper/'))) return [];
  const end = events.at(-1)?.at ?? 0;
  const begins = events.filter((event) => event.type === 'under');
  return begins.map(({ at, migration, phase }, index) => ({
    migration,
    phase,
    from: at,
    until: begins[index + 1]?.at ?? end,
  }));
}
