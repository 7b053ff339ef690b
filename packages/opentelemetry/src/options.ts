import type { Mode } from '@locks/core';
import { flag, integer, misconfigured, readOptions, withMethods } from '@locks/core/adapter';
import type { OptionReader, OptionReaders, OptionSource } from '@locks/core/adapter';
import { metrics as metricsApi, trace } from '@opentelemetry/api';
import type { Meter, Tracer } from '@opentelemetry/api';
import { KeyGroups, groupOfKey } from './key-groups.ts';
import { readQueueLengthOptions } from './metrics/queue-length.ts';
import type { QueueLength, QueueLengthOptions } from './metrics/queue-length.ts';

/** A group of keys that will be used. */
export interface KnownGroup {
  /** `name` of the client: `redis`, `postgres`, … */
  readonly provider: string;
  /** What `groupOf` returns for its keys. */
  readonly group: string;
  /** @default 'exclusive' */
  readonly mode?: Mode;
}

/** Options of `instrumentLocks`. */
export interface TelemetryOptions {
  /** Creates the spans. @default that of the global provider, by the name of this package */
  readonly tracer?: Tracer;
  /**
   * Creates the metrics. By default that of the global provider, which must be set before: the API
   * has no deferred meter.
   */
  readonly meter?: Meter;
  /** Whether spans are created. @default true */
  readonly spans?: boolean;
  /** Whether metrics are created. @default true */
  readonly metrics?: boolean;
  /**
   * The group of a key, in spans and metrics. It must be fast, and return few different strings. By
   * default the part before the first `:`, `/`, `#`, or `-`, `_`, `.` before a digit.
   */
  readonly groupOf?: (key: string) => string;
  /**
   * The maximum number of groups, and of jobs with gauges. Keys of further groups are in `_other`.
   * @default 100
   */
  readonly maxGroups?: number;
  /**
   * Groups whose losses, slow waits and gauges are reported as zero before the first call. Others
   * begin with their first call. @default none
   */
  readonly groups?: readonly KnownGroup[];
  /** Queries the store for the number of waiters of some keys. @default none */
  readonly queueLength?: QueueLengthOptions;
}

/** The parsed options. */
export interface Settings {
  /** `undefined`: no spans. */
  readonly tracer: Tracer | undefined;
  /** `undefined`: no metrics. */
  readonly meter: Meter | undefined;
  readonly groups: KeyGroups;
  /** The keys of jobs that have gauges. */
  readonly jobs: KeyGroups;
  readonly known: readonly KnownGroup[];
  readonly queueLength: QueueLength | undefined;
}

/** The name of the instrumentation, as exporters show it. */
const scope = '@locks/opentelemetry';

function custom<T>(expects: string, accepts: (value: unknown) => value is T): OptionReader<T> {
  return { expects, accepts, parse: () => undefined };
}

const readers: OptionReaders<TelemetryOptions> = {
  tracer: withMethods<Tracer>('a tracer of OpenTelemetry', 'startSpan'),
  meter: withMethods<Meter>('a meter of OpenTelemetry', 'createHistogram', 'addBatchObservableCallback'),
  spans: flag,
  metrics: flag,
  groupOf: custom(
    'a function from a key to its group',
    (value): value is (key: string) => string => typeof value === 'function',
  ),
  // Each group has some 100 series in Prometheus, for each provider and mode.
  maxGroups: integer(1, 10_000),
  groups: custom(
    'an array of groups such as { provider: "redis", group: "invoice" }',
    (value): value is readonly KnownGroup[] => Array.isArray(value) && value.every(isKnownGroup),
  ),
  queueLength: custom(
    'an object such as { locks, keys: ["report"] }',
    (value): value is QueueLengthOptions => typeof value === 'object' && value !== null,
  ),
};

function isKnownGroup(value: unknown): value is KnownGroup {
  const { provider, group, mode = 'exclusive' } = (value ?? {}) as Partial<Record<keyof KnownGroup, unknown>>;
  const named = typeof provider === 'string' && typeof group === 'string' && group !== '';
  return named && (mode === 'exclusive' || mode === 'shared');
}

const source: OptionSource = { where: 'instrumentLocks', code: 'LOCK_MISCONFIGURED' };

/**
 * Checks `options`.
 * @throws `LOCK_MISCONFIGURED` with the option, its value and what it must be.
 */
export function readTelemetryOptions(options: TelemetryOptions): Settings {
  const read = readOptions(readers, options, source);
  const { spans = true, metrics = true, groupOf = groupOfKey, maxGroups = 100, groups = [], queueLength } = read;
  const names = new Set(groups.map(({ group }) => group));
  if (names.size > maxGroups) {
    throw misconfigured(
      source.where,
      `option "groups" names ${names.size} groups, and "maxGroups" allows ${maxGroups}`,
    );
  }
  if (!metrics && queueLength !== undefined) {
    throw misconfigured(source.where, 'option "queueLength" makes a metric, and "metrics" is false');
  }
  return {
    tracer: spans ? (read.tracer ?? globalTracer()) : undefined,
    meter: metrics ? (read.meter ?? globalMeter()) : undefined,
    groups: new KeyGroups(groupOf, maxGroups, names),
    jobs: new KeyGroups((key) => key, maxGroups, []),
    known: groups,
    queueLength: queueLength && readQueueLengthOptions(queueLength),
  };
}

function globalTracer(): Tracer {
  checkApi('setSpan' in trace);
  return trace.getTracer(scope);
}

function globalMeter(): Meter {
  const meter = (metricsApi as typeof metricsApi | undefined)?.getMeter(scope);
  checkApi(meter !== undefined && 'createHistogram' in meter && 'addBatchObservableCallback' in meter);
  return meter;
}

/** npm accepts any version of the API beside this package. */
function checkApi(isNewEnough: boolean): asserts isNewEnough {
  if (isNewEnough) return;
  throw misconfigured(
    source.where,
    'the version of @opentelemetry/api that is installed is too old. Run: npm install @opentelemetry/api@latest',
  );
}
