import { measureImportTime } from './import-time.ts';
import { measureInstalledSize } from './installed-size.ts';
import { measureOverhead } from './overhead.ts';
import { figure } from '../tables/figure.ts';
import { subjectColumn } from '../tables/columns.ts';
import type { Column } from '../tables/table.ts';
import { rotationFor } from '../suite.ts';
import type { Servers, SuiteContext } from '../suite.ts';

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

/** The cost of `@locks/core`, whatever the backend. */
export async function runCoreSuite(context: SuiteContext): Promise<Servers> {
  if (context.wants('import')) {
    const title = 'A process that imports it, over one that imports nothing (first line: that one)';
    await context.table(title, importColumns, () => measureImportTime(rotationFor(context, 21, 0)));
  }
  if (context.wants('size')) {
    const title = 'On the disk, dependencies included, without a Redis client';
    await context.table(title, sizeColumns, measureInstalledSize);
  }
  if (context.wants('overhead')) {
    const { rounds } = rotationFor(context, 15, 0);
    await context.table('With a provider that answers at once', overheadColumns, () =>
      measureOverhead({ rounds, slice: 120, leases: 10_000 }),
    );
  }
  return {};
}
