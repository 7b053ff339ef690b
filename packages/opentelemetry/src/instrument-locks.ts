import type { Lease } from '@locks/core';
import { metrics as metricsApi, trace } from '@opentelemetry/api';
import { KeyGroups, groupOfKey } from './key-groups.ts';
import { observeQueueLength } from './metrics/queue-length.ts';
import { recordMetrics } from './metrics/record-metrics.ts';
import { readTelemetryOptions } from './options.ts';
import type { TelemetryOptions } from './options.ts';
import { recordSpans } from './spans/record-spans.ts';

/** The name of the instrumentation, as exporters show it. */
const scope = '@locks/opentelemetry';

/** Spans and metrics of all `Locks` of this process, until its end. */
export interface Telemetry extends Disposable {
  /**
   * Runs `work` with the span of the hold of `lease` as the active one: spans that `work` begins
   * are its children. Gives what `work` gives. Of several keys as one lease it is the hold of the
   * first key.
   */
  within<Held extends Pick<Lease, 'owner'>, T>(lease: Held, work: (lease: Held) => T): T;
  /** Ends the open spans and the metrics. Nothing is told from then on. */
  end(): void;
}

/**
 * Makes spans and metrics of what all `Locks` of this process tell on their diagnostics channels.
 * Call it once, after the SDK of OpenTelemetry has started.
 * @throws `LOCK_MISCONFIGURED` for a wrong option.
 */
export function instrumentLocks(options: TelemetryOptions = {}): Telemetry {
  const read = readTelemetryOptions(options);
  const { groupOf = groupOfKey, maxGroups = 100, groups: known = [], queueLength } = read;
  const groups = new KeyGroups(
    groupOf,
    maxGroups,
    known.map(({ group }) => group),
  );
  const ends: (() => void)[] = [];
  const spans = read.spans === false ? undefined : recordSpans(read.tracer ?? trace.getTracer(scope), groups);
  if (spans !== undefined) ends.push(spans.end);
  if (read.metrics !== false) {
    const meter = read.meter ?? metricsApi.getMeter(scope);
    ends.push(recordMetrics(meter, groups, known));
    if (queueLength !== undefined) ends.push(observeQueueLength(meter, queueLength));
  }
  const end = (): void => {
    for (const each of ends.splice(0)) each();
  };
  return {
    within: (lease, work) => (spans === undefined ? work(lease) : spans.within(lease, work)),
    end,
    [Symbol.dispose]: end,
  };
}
