import type { Chart } from '../plots/chart.ts';
import { grouped } from '../plots/grouped.ts';
import type { Grouping } from '../plots/grouped.ts';
import type { Result } from '../results.ts';

/** The charts of a migration drill: a bar per phase. Its figures come from `stress`. */
export function migrationCharts(results: readonly Result[]): Chart[] {
  const byMigration = (chart: Omit<Grouping, 'group'>): Chart =>
    grouped(results, 'migration', { ...chart, group: ({ migration = '' }) => migration });
  return [
    byMigration({
      name: 'migration-throughput',
      title: 'Migration drill: grants of one process under each phase, with faults',
      unit: 'grants per second',
      of: ({ perSecond }) => perSecond,
    }),
    byMigration({
      name: 'migration-wait',
      title: 'Migration drill: from the wish for a lock to its grant under each phase, with faults',
      unit: 'ms, p50 (logarithmic); other processes hold the same keys',
      log: true,
      of: ({ p50 }) => p50,
    }),
    byMigration({
      name: 'migration-longest-wait',
      title: 'Migration drill: the longest wait of a hundred under each phase, with faults',
      unit: 'ms, p99 (logarithmic)',
      log: true,
      of: ({ p99 }) => p99,
    }),
  ];
}
