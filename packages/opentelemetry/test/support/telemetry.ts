import { createLocks, createMemoryProvider, createMemoryStore } from '@locks/core';
import type { Locks, LocksOptions } from '@locks/core';
import { context, trace } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider } from '@opentelemetry/sdk-metrics';
import type { DataPoint, Histogram } from '@opentelemetry/sdk-metrics';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';
import { instrumentLocks } from '../../src/index.ts';
import type { Telemetry, TelemetryOptions } from '../../src/index.ts';

/** A point of a metric, with its attributes in the order of their names. */
export interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number | Histogram;
}

/** What a test sees of the telemetry of its locks. */
export interface Setting {
  readonly telemetry: Telemetry;
  /** The spans that have ended. */
  spans(name?: string): readonly ReadableSpan[];
  /** Runs `work` in a span of a caller. */
  asCaller<T>(name: string, work: (caller: Span) => Promise<T>): Promise<T>;
  /** The points of each metric, by its name. */
  collect(): Promise<ReadonlyMap<string, readonly Point[]>>;
}

/** Instruments locks with the SDK in memory, until the end of the test. */
export function createSetting(options: TelemetryOptions = {}): Setting {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const finished = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(finished)] });
  const tracer = provider.getTracer('test');
  const exported = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: exported, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const telemetry = instrumentLocks({ tracer, meter: meters.getMeter('test'), ...options });
  onTestFinished(async () => {
    telemetry.end();
    await meters.shutdown();
    context.disable();
  });
  return {
    telemetry,
    spans: (name) => finished.getFinishedSpans().filter((span) => name === undefined || span.name === name),
    async asCaller(name, work) {
      const span = tracer.startSpan(name);
      try {
        return await context.with(trace.setSpan(context.active(), span), () => work(span));
      } finally {
        span.end();
      }
    },
    async collect() {
      exported.reset();
      await meters.forceFlush();
      const metrics = exported
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: all }) => all));
      return new Map(
        metrics.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          (dataPoints as DataPoint<number | Histogram>[]).map(({ attributes, value }) => ({ attributes, value })),
        ]),
      );
    },
  };
}

/** Two processes on one store, until the end of the test. */
export function twoProcesses(options: LocksOptions = {}): { readonly one: Locks; readonly two: Locks } {
  const store = createMemoryStore();
  const open = (label: string): Locks => {
    const locks = createLocks(createMemoryProvider({ store }), { label, ...options });
    onTestFinished(() => locks.close());
    return locks;
  };
  return { one: open('one'), two: open('two') };
}

/** The id of the parent of a span. */
export function parentOf(span: ReadableSpan | undefined): string | undefined {
  return span?.parentSpanContext?.spanId;
}

export function idOf(span: Pick<Span, 'spanContext'> | undefined): string | undefined {
  return span?.spanContext().spanId;
}
