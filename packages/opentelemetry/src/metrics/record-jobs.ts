import { subscribe } from '@locks/core';
import type { JobMessage, JobRun } from '@locks/core';
import { lockOfJob } from '@locks/core/adapter';
import type { Attributes, BatchObservableResult, Meter } from '@opentelemetry/api';
import { attribute, seconds } from '../attributes.ts';
import { others } from '../key-groups.ts';
import type { KeyGroups } from '../key-groups.ts';
import { createJobInstruments } from './job-instruments.ts';

/** The ends of a run in this process. */
const results = ['done', 'failed', 'stopped', 'lost'] as const satisfies readonly JobMessage['state'][];
/** The answers of a call that does not run. */
const reasons = ['done', 'running', 'failed', 'passed'] as const satisfies readonly JobMessage['state'][];

/** The last run that a job reported in this process. */
interface LastRun {
  readonly attributes: Attributes;
  readonly run: JobRun;
}

/**
 * Records the metrics of the jobs of all clients of this process, until the returned function is
 * called. `names` bounds how many jobs have gauges.
 */
export function recordJobs(meter: Meter, groups: KeyGroups, names: KeyGroups): () => void {
  const instruments = createJobInstruments(meter);
  const { runs, skipped, duration, lastSuccess, next, failures } = instruments;
  const begun = new Set<string>();
  const lastRuns = new Map<string, LastRun>();

  /** Prometheus sees no increase in a counter that begins with its first event. */
  function beginAtZero(about: Attributes): void {
    const id = JSON.stringify(about);
    if (begun.has(id)) return;
    begun.add(id);
    for (const result of results) runs.add(0, { ...about, [attribute.jobResult]: result });
    for (const reason of reasons) skipped.add(0, { ...about, [attribute.jobReason]: reason });
  }

  const unsubscribe = subscribe('locks:job', ({ provider, key, ran, state, job }) => {
    // A job and its lock are in one group.
    const about = { [attribute.provider]: provider, [attribute.group]: groups.of(lockOfJob(key)) };
    beginAtZero(about);
    if (ran) {
      const attributes = { ...about, [attribute.jobResult]: state };
      runs.add(1, attributes);
      if (job?.ended !== undefined) {
        duration.record(seconds(job.ended.getTime() - job.began.getTime()), attributes);
      }
    } else {
      skipped.add(1, { ...about, [attribute.jobReason]: state });
    }
    // A job that runs only once is never due, and such keys may be many.
    if (job === undefined || job.slot === 'ever' || names.of(key) === others) return;
    const attributes = { ...about, [attribute.key]: key };
    lastRuns.set(JSON.stringify([provider, key]), { attributes, run: job });
  });

  const observed = [lastSuccess, next, failures];
  const observe = (result: BatchObservableResult): void => {
    for (const { attributes, run } of lastRuns.values()) {
      if (run.lastDone instanceof Date) result.observe(lastSuccess, seconds(run.lastDone.getTime()), attributes);
      if (run.next !== undefined) result.observe(next, seconds(run.next.getTime()), attributes);
      // The process that runs the job reports how it ends. An earlier number would outlast that.
      if (run.state !== 'running') result.observe(failures, run.failures, attributes);
    }
  };
  meter.addBatchObservableCallback(observe, observed);

  return () => {
    unsubscribe();
    meter.removeBatchObservableCallback(observe, observed);
  };
}
