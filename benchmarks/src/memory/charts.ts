import type { Chart } from '../plots/chart.ts';
import { grouped } from '../plots/grouped.ts';
import type { Result } from '../results.ts';

export function memoryCharts(results: readonly Result[]): Chart[] {
  return [
    grouped(results, 'memory/uncontended', {
      name: 'memory-uncontended',
      title: 'In memory: acquire and release, workers with a key each',
      unit: 'pairs per second (logarithmic)',
      log: true,
      group: ({ concurrency }) => `${concurrency} worker(s)`,
      of: ({ perSecond }) => perSecond,
    }),
    grouped(results, 'memory/contended', {
      name: 'memory-contended',
      title: 'In memory: acquire and release, workers on one key',
      unit: 'pairs per second (logarithmic)',
      log: true,
      group: ({ concurrency }) => `${concurrency} workers`,
      of: ({ perSecond }) => perSecond,
    }),
  ];
}
