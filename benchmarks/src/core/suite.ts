import { measureImportTime } from './import-time.ts';
import { measureInstalledSize } from './installed-size.ts';
import { measureOverhead } from './overhead.ts';
import type { Result } from '../results.ts';
import { figure } from '../tables/figure.ts';
import { subjectColumn } from '../tables/columns.ts';
import { formatTable } from '../tables/table.ts';
import type { Column } from '../tables/table.ts';
import { rotationFor } from '../suite.ts';
import type { SuiteContext, SuiteReport } from '../suite.ts';

const importColumns: readonly Column[] = [
  subjectColumn,
  { head: 'ms, median', of: ({ importTime }) => figure(importTime, 1) },
];

const sizeColumns: readonly Column[] = [
  subjectColumn,
  { head: 'packages', of: ({ packages }) => figure(packages) },
  { head: 'installed bytes', of: ({ installedBytes }) => figure(installedBytes) },
  { head: 'packed bytes', of: ({ packedBytes }) => figure(packedBytes) },
];

const overheadColumns: readonly Column[] = [
  subjectColumn,
  { head: 'ns', of: ({ nanoseconds }) => figure(nanoseconds) },
  { head: 'bytes of heap', of: ({ heapBytes }) => figure(heapBytes) },
];

/** What `@locks/core` costs whatever the backend. */
export async function runCoreSuite(context: SuiteContext): Promise<SuiteReport> {
  const results: Result[] = [];
  const add = (title: string, columns: readonly Column[], some: readonly Result[]): void => {
    context.print(formatTable(title, columns, some));
    results.push(...some);
  };
  if (context.wants('import')) {
    const times = measureImportTime(rotationFor(context, 21, 0));
    add('A process that imports it, over one that imports nothing (first line: that one)', importColumns, times);
  }
  if (context.wants('size')) {
    add('On the disk, dependencies included, without a Redis client', sizeColumns, measureInstalledSize());
  }
  if (context.wants('overhead')) {
    const { rounds } = rotationFor(context, 15, 0);
    const overhead = await measureOverhead({ rounds, slice: 120, leases: 10_000 });
    add('With a provider that answers at once', overheadColumns, overhead);
  }
  return { results };
}
