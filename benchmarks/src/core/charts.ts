import type { Chart } from '../plots/chart.ts';
import { grouped } from '../plots/grouped.ts';
import type { Result } from '../results.ts';

export function coreCharts(results: readonly Result[]): Chart[] {
  return [
    grouped(results, 'core/size', {
      name: 'installed-size',
      title: 'On the disk, dependencies included, without a client',
      unit: 'kB',
      group: () => '',
      of: ({ installedBytes }) => (installedBytes ?? Number.NaN) / 1_000,
    }),
  ];
}
