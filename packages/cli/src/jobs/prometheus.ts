import type { JobRun, JobState } from '@locks/core';

const states: readonly JobState[] = ['running', 'done', 'failed', 'crashed', 'stopped', 'lost', 'open'];

/** A metric of jobs: a value, and labels besides the name of the job. */
interface Metric {
  readonly name: string;
  readonly help: string;
  readonly samples: (job: JobRun) => readonly Sample[];
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** With the names that `@locks/opentelemetry` uses for the same metrics. */
const metrics: readonly Metric[] = [
  {
    name: 'locks_job_last_success_timestamp_seconds',
    help: 'The slot of the last success, in Unix time.',
    samples: ({ lastDone }) => (lastDone instanceof Date ? [{ value: seconds(lastDone) }] : []),
  },
  {
    name: 'locks_job_next_timestamp_seconds',
    help: 'When the job is next due, in Unix time.',
    samples: ({ next }) => (next === undefined ? [] : [{ value: seconds(next) }]),
  },
  {
    name: 'locks_job_failures',
    help: 'How many runs in a row did not succeed.',
    samples: ({ failures }) => [{ value: failures }],
  },
  {
    name: 'locks_job_state',
    help: '1 for the state of the last run, 0 for the others.',
    samples: (job) => states.map((state) => ({ labels: { state }, value: job.state === state ? 1 : 0 })),
  },
  {
    name: 'locks_job_last_duration_seconds',
    help: 'How long the last run took, if it has ended.',
    samples: ({ began, ended }) => (ended === undefined ? [] : [{ value: seconds(ended) - seconds(began) }]),
  },
];

/**
 * The last runs of jobs in the text format of Prometheus, for the textfile collector of
 * node_exporter. Times that a job lacks are left out.
 */
export function prometheusText(jobs: readonly JobRun[]): string {
  const named = namesOf(jobs);
  return metrics.map((metric) => textOf(metric, named)).join('');
}

function textOf({ name, help, samples }: Metric, jobs: ReadonlyMap<string, JobRun>): string {
  const lines = [...jobs].flatMap(([key, job]) =>
    samples(job).map(({ labels = {}, value }) => `${name}${labelsText({ locks_key: key, ...labels })} ${value}\n`),
  );
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

/** Very long keys are cut, and two samples with the same labels invalidate the whole text. */
function namesOf(jobs: readonly JobRun[]): ReadonlyMap<string, JobRun> {
  const named = new Map<string, JobRun>();
  for (const job of jobs) {
    // The text must be UTF-8, which cannot encode half a surrogate pair.
    const key = job.key.toWellFormed();
    let name = key;
    for (let place = 2; named.has(name); place += 1) name = `${key}#${place}`;
    named.set(name, job);
  }
  return named;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

function escaped(value: string): string {
  return value.replaceAll(/[\\"\n]/g, (character) => escapes[character] ?? '');
}

function seconds(time: Date): number {
  return time.getTime() / 1_000;
}
