import type { Result } from '../results.ts';
import { openTap } from '../measure/tap.ts';
import { RequestReader } from './request-frames.ts';
import type { Operations } from './request-frames.ts';
import { openParty } from './subjects/index.ts';

/** Before the count: sessions are opened, and parents made. */
const before = 20;
const counted = 200;

/**
 * What an uncontended acquire and release says to the server: the requests are counted on the way.
 */
export async function measureOperations(url: string, names: readonly string[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const subject of names) {
    const operations: Operations = new Map();
    await using tap = await openTap(url, () => new RequestReader(operations));
    const party = await openParty(subject, tap.url);
    const take = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        const held = await party.acquire(`operations/${subject}`);
        await held.release();
      }
    };
    try {
      await take(before);
      operations.clear();
      await take(counted);
      const all = [...operations];
      results.push({
        scenario: 'zookeeper/operations',
        subject,
        operationsPerPair: all.reduce((sum, [, count]) => sum + count, 0) / counted,
        operations: all.map(([name, count]) => `${name} ${count / counted}`).join(', '),
      });
    } finally {
      await party.close();
    }
  }
  return results;
}
