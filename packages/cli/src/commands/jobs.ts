import type { JobRun } from '@locks/core';
import { naturally, printable, timeText } from '@locks/core/text';
import { Failure, exitCode } from '../failure.ts';
import { jobRow, jobTable, outcomeText } from '../jobs/job-text.ts';
import { prometheusText } from '../jobs/prometheus.ts';
import { confirmed } from '../output/confirmed.ts';
import type { Output } from '../output/output.ts';
import { findStore, withStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';

/** Options of `locks jobs`. */
export interface JobsOptions extends StoreOptions {
  /** Whether a failed or overdue job changes the exit code. */
  readonly check?: boolean | undefined;
  /** Another format than a table or lines of JSON. */
  readonly format?: 'prometheus' | undefined;
}

/** Options of `locks jobs forget`. */
export interface ForgetOptions extends StoreOptions {
  /** Removes the record without a question. */
  readonly yes?: boolean | undefined;
}

/** In the order in which they are counted. */
const told = ['running', 'failed', 'crashed', 'lost', 'stopped', 'open'] as const;
const bad: ReadonlySet<string> = new Set(['failed', 'crashed', 'lost']);

/** Prints the last run of each job whose name begins with `prefix`. Returns the exit code. */
export async function jobs(
  prefix: string,
  { check, format, ...options }: JobsOptions,
  output: Output,
): Promise<number> {
  const runs = await withStore(options, output, async (locks) => {
    const found: JobRun[] = [];
    for await (const run of locks.jobs()) if (run.key.startsWith(prefix)) found.push(run);
    return found.toSorted((one, other) => naturally(one.key, other.key));
  });
  if (format === 'prometheus') await output.write(prometheusText(runs));
  else if (output.json) for (const run of runs) await output.print('', jobRow(run));
  else if (runs.length > 0) await output.print(`${jobTable(runs)}\n${countText(runs)}`, {});
  else await output.print(`No job has run: ${(await findStore(options)).shown} has no record.`, {});
  const isWrong = runs.some(({ state, overdue }) => overdue || bad.has(state));
  return check === true && isWrong ? exitCode.findings : 0;
}

function countText(runs: readonly JobRun[]): string {
  const counts = told.map((state) => [state, runs.filter((run) => run.state === state).length] as const);
  const overdue = runs.filter((run) => run.overdue).length;
  const parts = [...counts, ['overdue', overdue] as const].filter(([, count]) => count > 0);
  const jobCount = `${runs.length} ${runs.length === 1 ? 'job' : 'jobs'}`;
  return `${[jobCount, ...parts.map(([word, count]) => `${count} ${word}`)].join(', ')}.`;
}

/** Opens the last slot of a job again. */
export async function retryJob(key: string, options: StoreOptions, output: Output): Promise<void> {
  await withStore(options, output, async (locks) => {
    const opened = await locks.retryJob(key);
    const run = await locks.job(key);
    if (!opened && run?.state !== 'open') throw refusal(key, run);
    const slot = run === undefined ? 'its slot' : `slot ${timeText(run.slot)}`;
    const text = `${printable(key)}: ${slot} is open ${opened ? 'again' : 'already'}. The next call for it runs.`;
    await output.print(text, { opened, ...(run === undefined ? { job: key } : jobRow(run)) });
  });
}

/** Removes the record of a job, after confirmation. Returns the exit code. */
export async function forgetJob(key: string, { yes, ...options }: ForgetOptions, output: Output): Promise<number> {
  return await withStore(options, output, async (locks) => {
    const run = await locks.job(key);
    if (run === undefined || run.state === 'running') throw refusal(key, run);
    const last = `its last run is ${outcomeText(run)}, slot ${timeText(run.slot)}`;
    const what = `This removes the record of the job ${printable(key)}: ${last}.\nA call for that slot would run it again.`;
    if (!(await confirmed({ yes, what, question: 'Remove it?' }))) return exitCode.declined;
    if (!(await locks.forgetJob(key))) throw refusal(key, await locks.job(key));
    await output.print(`${printable(key)}: forgotten.`, { job: key, forgotten: true });
    return 0;
  });
}

function refusal(key: string, run: JobRun | undefined): Failure {
  const name = printable(key);
  if (run === undefined)
    return new Failure(exitCode.findings, `The job ${name} does not exist. To list the jobs: locks jobs`);
  if (run.state === 'running') return new Failure(exitCode.busy, `${name} is running on ${printable(run.by)}.`);
  return new Failure(exitCode.busy, `${name} changed in the meantime. Try again.`);
}
