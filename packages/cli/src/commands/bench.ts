import { systemRuntime } from '@locks/core/adapter';
import { probes } from '../bench/probes.ts';
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

const remark = 'This measures this store from this host, by one process. It does not compare libraries.';

/** Loads a store for some seconds, on keys of its own, and prints how long its answers take. */
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
      const { name, unit } = probe;
      const count = times.length;
      // The time between two transfers is longer than the gap.
      const perSecond = name === 'hand-over' ? undefined : Math.round((1_000 * count) / (performance.now() - began));
      const [p50 = 0, p95 = 0, p99 = 0] = [50, 95, 99].map((percent) => Number(percentile(times, percent).toFixed(3)));
      rows.push([name, unit, String(perSecond ?? '–'), ...[p50, p95, p99].map(shownTime)]);
      if (output.json) await output.print('', { probe: name, unit, count, perSecond, p50, p95, p99 });
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

function shownTime(ms: number): string {
  if (Number.isNaN(ms)) return '–';
  return `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`;
}

/** The value that `percent` % of `values` do not exceed; NaN for none. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
