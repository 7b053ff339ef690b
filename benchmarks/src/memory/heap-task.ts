import { heapPerItem } from '../measure/heap.ts';
import { serveTask } from '../measure/tasks.ts';
import { memorySubjects } from './subjects.ts';

export interface MemoryHeapInput {
  readonly subject: string;
  readonly leases: number;
}

serveTask(async ({ subject, leases }: MemoryHeapInput): Promise<number> => {
  const party = memorySubjects.find(({ name }) => name === subject)?.open();
  if (party === undefined) throw new Error(`There is no memory subject "${subject}".`);
  for (let index = 0; index < 1_000; index += 1) await (await party.acquire(`warm-up/${index}`)).release();
  return await heapPerItem(leases, async (items) => {
    for (let index = 0; index < leases; index += 1) items[index] = await party.acquire(`held/${index}`);
  });
});
