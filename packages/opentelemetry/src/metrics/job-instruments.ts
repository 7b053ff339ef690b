import type { Counter, Histogram, Meter, Observable } from '@opentelemetry/api';

/** In seconds: from a quick clean-up to an import that takes the night. */
const durations = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800];

/** The metrics of jobs. */
export interface JobInstruments {
  readonly runs: Counter;
  readonly skipped: Counter;
  readonly duration: Histogram;
  readonly lastSuccess: Observable;
  readonly next: Observable;
  readonly failures: Observable;
}

/** Creates the instruments. The gauges are named as in the Prometheus text of `locks jobs`. */
export function createJobInstruments(meter: Meter): JobInstruments {
  const gauge = (name: string, unit: string, description: string): Observable =>
    meter.createObservableGauge(name, { unit, description });
  return {
    runs: meter.createCounter('locks.job.runs', { unit: '{run}', description: 'Runs of jobs here, by their ends.' }),
    skipped: meter.createCounter('locks.job.skipped', {
      unit: '{call}',
      description: 'Calls of jobs that did not run here, by the reason.',
    }),
    duration: meter.createHistogram('locks.job.duration', {
      unit: 's',
      description: 'From the start of a run to its end.',
      advice: { explicitBucketBoundaries: durations },
    }),
    lastSuccess: gauge('locks.job.last_success.timestamp', 's', 'The slot of the last success, in Unix time.'),
    next: gauge('locks.job.next.timestamp', 's', 'When the job is next due, in Unix time.'),
    failures: gauge('locks.job.failures', '{run}', 'How many runs in a row did not succeed.'),
  };
}
