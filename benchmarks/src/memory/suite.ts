import type { MemoryHeapInput } from './heap-task.ts';
import { measurePairs } from './pairs.ts';
import type { MemoryCase } from './pairs.ts';
import { memorySubjects } from './subjects.ts';
import type { Result } from '../results.ts';
import { figure } from '../tables/figure.ts';
import { holdersColumn, pairsColumn, subjectColumn, verrouColumn } from '../tables/columns.ts';
import type { Column } from '../tables/table.ts';
import { runTask } from '../measure/tasks.ts';
import { rotationFor } from '../suite.ts';
import type { Servers, SuiteContext } from '../suite.ts';

const cases: readonly MemoryCase[] = [
  { workers: 1, contended: false },
  { workers: 64, contended: false },
  { workers: 10, contended: true },
  { workers: 1_000, contended: true },
];

const pairColumns: readonly Column[] = [
  subjectColumn,
  pairsColumn,
  verrouColumn,
  { head: 'CPU µs', of: (r) => figure(r.clientMicroseconds, 2) },
  { head: 'failed releases', of: ({ failures }) => figure(failures) },
  holdersColumn,
];

const heapColumns: readonly Column[] = [
  subjectColumn,
  { head: 'bytes per lock', of: ({ heapBytes }) => figure(heapBytes) },
];

/** Locks within this process. */
export async function runMemorySuite(context: SuiteContext): Promise<Servers> {
  if (context.wants('pairs')) {
    for (const one of cases) {
      const title = `Memory, ${one.workers} worker(s), ${one.contended ? 'all on one key' : 'each with its own key'}`;
      await context.table(title, pairColumns, () => measurePairs(one, rotationFor(context, 15, 120)));
    }
  }
  if (context.wants('heap')) {
    await context.table('Heap, 10000 held locks: lease, store and key', heapColumns, measureHeap);
  }
  return {};
}

async function measureHeap(): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name } of memorySubjects) {
    const input: MemoryHeapInput = { subject: name, leases: 10_000 };
    const heapBytes = await runTask<number>(new URL('./heap-task.js', import.meta.url), input);
    results.push({ scenario: 'memory/heap', subject: name, leases: input.leases, heapBytes });
  }
  return results;
}
