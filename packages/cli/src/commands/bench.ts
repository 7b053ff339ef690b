import { systemRuntime } from '@locks/core/adapter';
import { probes } from '../bench/probes.ts';
import type { Probe } from '../bench/probes.ts';
import type { Output } from '../output/output.ts';
import { bold, table } from '../output/table.ts';
import { leaveBy } from '../run/leave.ts';
import { catchStopSignals } from '../run/stop-signals.ts';
import { findStore, openStore } from '../store/open-store.ts';
import type { StoreOptions } from '../store/open-store.ts';

/** Options of `locks bench`. */
export interface BenchOptions extends StoreOptions {
  /** How long it takes, in s. */
  readonly seconds: number;
}

const remark =
  'This is a probe of this store from this host, by one process. It is no comparison with other libraries.';

/** Loads a store for some seconds, on keys of its own, and says how long its answers take. */
export async function bench({ seconds, ...options }: BenchOptions, output: Output): Promise<void> {
  const stop = catchStopSignals(leaveBy);
  const { shown } = await findStore(options);
  const locks = await openStore(options, output, { label: 'locks-bench' });
  const rows: (readonly string[])[] = [];
  try {
    const parts = { locks, prefix: `locks-bench/${systemRuntime.uniqueId()}`, stop: stop.aborted };
    for (const probe of probes) {
      const began = performance.now();
      const times = await probe.run(parts, (1_000 * seconds) / probes.length);
      if (stop.aborted.aborted) break;
      const result = resultOf(probe, times, performance.now() - began);
      rows.push(columnsOf(result));
      if (output.json) await output.print('', { ...result });
    }
  } finally {
    await locks.close();
  }
  const signal = stop.caught();
  if (signal !== undefined) leaveBy(signal);
  stop.end();
  if (output.json) return;
  const head = ['PROBE', 'ONE IS', 'IN A SECOND', 'P50', 'P95', 'P99'];
  await output.print(`${bold(shown)}\n${table(head, rows)}\n\n${remark}`, {});
}

/** What one probe came to. */
interface Result {
  readonly probe: string;
  readonly unit: string;
  readonly count: number;
  /** Of a hand-over none: between two of them is more than the gap. */
  readonly perSecond: number | undefined;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

function resultOf({ name, unit }: Probe, times: readonly number[], took: number): Result {
  const [p50 = 0, p95 = 0, p99 = 0] = [50, 95, 99].map((percent) => Number(percentile(times, percent).toFixed(3)));
  const perSecond = name === 'hand-over' ? undefined : Math.round((1_000 * times.length) / took);
  return { probe: name, unit, count: times.length, perSecond, p50, p95, p99 };
}

function columnsOf({ probe, unit, perSecond, p50, p95, p99 }: Result): readonly string[] {
  return [probe, unit, perSecond === undefined ? '–' : String(perSecond), ...[p50, p95, p99].map(shownTime)];
}

function shownTime(ms: number): string {
  if (Number.isNaN(ms)) return '–';
  return `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`;
}

/** The value that `percent` % of `values` do not exceed; NaN of none. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
