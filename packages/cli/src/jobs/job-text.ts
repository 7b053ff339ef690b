import type { JobRun } from '@locks/core';
import { printable, span, timeText } from '@locks/core/text';
import type { Row } from '../output/output.ts';
import { table } from '../output/table.ts';

/** How long the run lasted, in ms. */
function tookOf({ began, ended }: JobRun): number | undefined {
  return ended === undefined ? undefined : ended.getTime() - began.getTime();
}

function overdueBy({ overdue, next }: JobRun): number | undefined {
  return overdue && next !== undefined ? Math.max(0, Date.now() - next.getTime()) : undefined;
}

/** `run` as a row of JSON. Durations are in ms. */
export function jobRow({ key, ...run }: JobRun): Row {
  return { job: key, ...run, took: tookOf({ key, ...run }), overdueBy: overdueBy({ key, ...run }) };
}

/** `done`, or `failed (exit 3)`, for people. */
export function outcomeText({ state, exitCode }: Pick<JobRun, 'state' | 'exitCode'>): string {
  return exitCode === undefined || state === 'open' ? state : `${state} (exit ${exitCode})`;
}

/** `12.3 s`, or an empty string for a run that has not ended. */
export function tookText(run: JobRun): string {
  return span(tookOf(run));
}

/** A time for people, to the second. */
export function momentText(time: Date): string {
  return timeText(new Date(Math.floor(time.getTime() / 1_000) * 1_000));
}

const head = ['JOB', 'STATE', 'SLOT', 'TOOK', 'BY', 'LAST DONE', 'NEXT', 'OVERDUE BY'];

/** One row for each run. */
export function jobTable(runs: readonly JobRun[]): string {
  const rows = runs.map((run) => {
    const { key, slot, by, lastDone, next } = run;
    const [last, due] = [lastDone, next].map((time) => (time === undefined ? '–' : timeText(time)));
    const cells = [printable(key), outcomeText(run), timeText(slot), tookText(run) || '–', printable(by)];
    return [...cells, last ?? '', due ?? '', span(overdueBy(run))];
  });
  return table(head, rows);
}
