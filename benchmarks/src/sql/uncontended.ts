import { setImmediate } from 'node:timers/promises';
import { pairFigures, ratesOf, runPairs } from '../measure/pair-loop.ts';
import type { RetryOptions } from '../subjects/party.ts';
import type { Result } from '../results.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import { ratioFigures } from '../measure/statistics.ts';
import type { Database } from './database.ts';
import { openParty } from './subjects/index.ts';
import type { SqlParty } from './subjects/subject.ts';

interface Contestant {
  readonly name: string;
  readonly party: SqlParty;
}

/** Acquire and release without contention: each of `concurrency` workers has its own key. */
export async function measureUncontended(
  { dialect, url }: Database,
  names: readonly string[],
  concurrency: number,
  rotation: Rotation,
  { retryDelay }: RetryOptions,
): Promise<Result[]> {
  const contestants: Contestant[] = [];
  try {
    for (const name of names) contestants.push({ name, party: await openParty(name, { url, retryDelay }) });
    const slices = await rotate(contestants, rotation, async ({ name, party }, slice) => {
      await setImmediate();
      return await runPairs(name, party, concurrency, slice);
    });
    const rounds = new Map([...slices].map(([{ name }, all]) => [name, all]));
    return names.map((subject) => {
      const own = rounds.get(subject) ?? [];
      return {
        scenario: `${dialect}/uncontended`,
        subject,
        concurrency,
        ...pairFigures(own),
        ...ratioFigures('ratioToRaw', ratesOf(own), ratesOf(rounds.get('raw client'))),
        ...ratioFigures('ratioToVerrou', ratesOf(own), ratesOf(rounds.get('verrou'))),
      };
    });
  } finally {
    await Promise.all(contestants.map(({ party }) => party.close()));
  }
}
