/**
 * `running`, or how a run ended: `done`; `failed`, its work threw; `crashed`, its process ended
 * without a report; `stopped`, by a signal or `close`; `lost`, its lock was lost during the run;
 * `open`, it may run: an operator reopened the slot, or a process was stopped before its work.
 */
export type JobState = 'running' | 'done' | 'failed' | 'crashed' | 'stopped' | 'lost' | 'open';

/** The last run of a job. */
export interface JobRun {
  /** The key that `once` was called with. A very long one is cut. */
  readonly key: string;
  /** The state of the run. */
  readonly state: JobState;
  /** The scheduled time, or `'ever'`. */
  readonly slot: Date | 'ever';
  /** The label of the process, by default `host:pid`. */
  readonly by: string;
  /** By the clock of the store if it has one, otherwise of the process. */
  readonly began: Date;
  /** Absent: it runs, or crashed. */
  readonly ended?: Date;
  /** How many runs this slot has had. */
  readonly tries: number;
  /** How many runs in a row did not succeed. */
  readonly failures: number;
  /** The slot of the last success. */
  readonly lastDone?: Date | 'ever';
  /** When the next run is due, if a call reported it. */
  readonly next?: Date;
  /** `next` has passed by a tenth of the time between `slot` and it, and by at least a minute. */
  readonly overdue: boolean;
  /** The property `exitCode` of the error that the work threw. */
  readonly exitCode?: number;
  /** The beginning of the message of that error. */
  readonly error?: string;
}
