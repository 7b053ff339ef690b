import type { Lease } from '@locks/core';
import { observeQueueLength } from './metrics/queue-length.ts';
import { recordJobs } from './metrics/record-jobs.ts';
import { recordMetrics } from './metrics/record-metrics.ts';
import { readTelemetryOptions } from './options.ts';
import type { TelemetryOptions } from './options.ts';
import { recordSpans } from './spans/record-spans.ts';

/** Spans and metrics of all clients of this process, until its end. */
export interface Telemetry extends Disposable {
  /**
   * Runs `work` with the span of the hold of `lease` as the active one: spans started in `work` are
   * its children. Returns what `work` returns. For a lease of several keys it is the hold of the
   * first key.
   */
  within<Held extends Pick<Lease, 'owner'>, T>(lease: Held, work: (lease: Held) => T): T;
  /** Ends the open spans and the metrics. Nothing is recorded from then on. */
  end(): void;
}

/**
 * Makes spans and metrics from the diagnostics channels of all clients of this process. Call it
 * once, after the SDK of OpenTelemetry has started.
 * @throws `LOCK_MISCONFIGURED` for a wrong option.
 */
export function instrumentLocks(options: TelemetryOptions = {}): Telemetry {
  const { tracer, meter, groups, jobs, known, queueLength } = readTelemetryOptions(options);
  const spans = tracer && recordSpans(tracer, groups);
  const ends = [
    spans?.end,
    meter && recordMetrics(meter, groups, known),
    meter && recordJobs(meter, groups, jobs),
    meter && queueLength && observeQueueLength(meter, queueLength),
  ];
  const end = (): void => {
    for (const each of ends.splice(0)) each?.();
  };
  return {
    within: (lease, work) => (spans === undefined ? work(lease) : spans.within(lease, work)),
    end,
    [Symbol.dispose]: end,
  };
}
