// Usage: npm run build && node packages/opentelemetry/scripts/cost.mjs
//
// Prints what telemetry adds to an acquire and a release in memory, in µs: the best of several
// rounds, which take turns. `docs/observability.md` has its figures.
import { createLocks, createMemoryProvider, subscribe } from '@locks/core';
import { AlwaysOnSampler, BasicTracerProvider, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';
import { AggregationTemporality, InMemoryMetricExporter } from '@opentelemetry/sdk-metrics';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { instrumentLocks } from '../dist/bundle/index.js';

const pairs = 2_000;
const rounds = 60;
const locks = createLocks(createMemoryProvider());

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
const meter = new MeterProvider({ readers: [reader] }).getMeter('cost');
const dropped = { onStart() {}, onEnd() {}, shutdown: async () => {}, forceFlush: async () => {} };
const tracer = (sampler) => new BasicTracerProvider({ sampler, spanProcessors: [dropped] }).getTracer('cost');
const sampled = tracer(new TraceIdRatioBasedSampler(0.01));
const all = tracer(new AlwaysOnSampler());

/** Three listeners that do nothing: what core pays for the messages. */
function listen() {
  const ends = ['locks:claim', 'locks:acquire', 'locks:release'].map((name) => subscribe(name, () => {}));
  return () => ends.forEach((end) => end());
}

const cases = {
  off: () => () => {},
  'empty listeners': listen,
  'two records of the SDK': undefined,
  'metrics without an SDK': () => instrumentLocks({ spans: false }).end,
  metrics: () => instrumentLocks({ meter, spans: false }).end,
  'spans, 1 % sampled': () => instrumentLocks({ tracer: sampled, metrics: false }).end,
  'spans, all sampled': () => instrumentLocks({ tracer: all, metrics: false }).end,
  'metrics and spans, 1 % sampled': () => instrumentLocks({ meter, tracer: sampled }).end,
};

async function takeLocks() {
  const start = process.cpuUsage();
  for (let count = 0; count < pairs; count += 1) {
    const lease = await locks.acquire('invoice:4711');
    await lease.release();
  }
  return perPair(start);
}

/** What the SDK takes for two histograms with attributes that are made once. */
function recordTwice() {
  const histogram = meter.createHistogram('two.records');
  const attributes = { 'locks.provider': 'memory', 'locks.group': 'invoice', 'locks.mode': 'exclusive', result: 'a' };
  const start = process.cpuUsage();
  for (let count = 0; count < 2 * pairs; count += 1) histogram.record(0.001, attributes);
  return perPair(start);
}

/** µs of this process since `start`, which other processes disturb less than the clock. */
function perPair(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / pairs;
}

const best = new Map();
for (let round = 0; round < rounds; round += 1) {
  for (const [name, begin] of Object.entries(cases)) {
    const end = begin?.();
    const took = begin === undefined ? recordTwice() : await takeLocks();
    end?.();
    best.set(name, Math.min(took, best.get(name) ?? Infinity));
  }
}
for (const [name, took] of best) {
  const more = name === 'off' || cases[name] === undefined ? '' : ` (+${(took - best.get('off')).toFixed(2)})`;
  process.stdout.write(`${name.padEnd(32)} ${took.toFixed(2)}${more}\n`);
}
await locks.close();
