import type { JobRun, OnceResult } from '@locks/core';
import { printable, timeText } from '@locks/core/text';
import { exitCode } from '../failure.ts';
import type { Row } from '../output/output.ts';
import { jobRow, momentText, outcomeText, tookText } from './job-text.ts';

/** The result of a call for a slot: for people, for programs, and as an exit code. */
export interface Answer {
  readonly text: string;
  readonly row: Row;
  readonly code: number;
}

/** How a slot is retried after an unsuccessful run. */
export interface Retries {
  readonly retries: number;
  /** In ms after the end of a run. */
  readonly after: number;
}

/** The answer about a command that ran here. `code`: its exit code. */
export function answerOfRun(run: JobRun, code: number, retries: Retries): Answer {
  const isDone = run.state === 'done';
  const slot = `slot ${timeText(run.slot)}`;
  const says = isDone
    ? `ran in ${tookText(run)}, ${slot}.`
    : `${outcomeText(run)} after ${tookText(run)}, ${slot}. ${nextStep(run, retries)}`;
  return answer(run.key, 'ran', code, says, run);
}

/** The answer about a call that did not run. `slot`: that of the call, if it is a time. */
export function answerElsewhere(
  key: string,
  { state, job }: Extract<OnceResult<unknown>, { held: false }>,
  { slot, conflict, ...retries }: Retries & { readonly slot: unknown; readonly conflict: number | undefined },
): Answer {
  const own = slot instanceof Date ? `slot ${timeText(slot)}` : 'its slot';
  const busy = conflict ?? exitCode.busy;
  if (job === undefined) return answer(key, state, busy, 'is starting in another process.');
  const of = `slot ${timeText(job.slot)}`;
  const by = printable(job.by);
  const at = job.ended === undefined ? `, begun at ${momentText(job.began)}` : ` at ${momentText(job.ended)}`;
  switch (state) {
    case 'done':
      return answer(key, state, 0, `done by ${by}${at}, took ${tookText(job)}, ${of}. Not run again.`, job);
    case 'running': {
      const since = `runs on ${by} since ${momentText(job.began)}, ${of}.`;
      return answer(key, state, busy, `${since} To wait for its end: --wait`, job);
    }
    case 'failed': {
      const why = job.error === undefined || job.exitCode !== undefined ? '' : `: ${printable(job.error)}`;
      const says = `${outcomeText(job)} on ${by}${at}, ${of}${why}. ${nextStep(job, retries)}`;
      return answer(key, state, codeOf(job), says, job);
    }
    case 'passed':
      return answer(key, state, 0, `${own} is past, ${of} has begun. Not run.`, job);
  }
}

/** The code that a run failed with. */
function codeOf({ exitCode: code = 0 }: JobRun): number {
  return code > 0 && code <= 255 ? code : exitCode.lost;
}

function nextStep({ key, state, tries, ended }: JobRun, { retries, after }: Retries): string {
  // A run that was stopped does not count as a try.
  if (retries === 0 || tries > retries) return `Run it again: locks jobs retry ${printable(key)}`;
  const from = after > 0 && ended !== undefined ? ` from ${momentText(new Date(ended.getTime() + after))} on` : '';
  const tried = state === 'stopped' ? '' : `, try ${tries + 1} of ${retries + 1}`;
  return `The next call${from} runs it again${tried}.`;
}

function answer(key: string, word: string, code: number, says: string, job?: JobRun): Answer {
  const row = { event: 'job', answer: word, code, ...(job === undefined ? { job: key } : jobRow(job)) };
  return { text: `${printable(key)}: ${says}`, row, code };
}
