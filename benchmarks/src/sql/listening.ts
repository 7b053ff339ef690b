import { randomUUID } from 'node:crypto';
import { startCrews } from '../crew/crews.ts';
import { pairFigures, ratesOf, runPairs } from '../measure/pair-loop.ts';
import type { RetryOptions } from '../subjects/party.ts';
import type { Result } from '../results.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import { ratioFigures } from '../measure/statistics.ts';
import type { Database } from './database.ts';
import { openParty } from './subjects/index.ts';

/** What another process does meanwhile, by how many of its workers want one key. */
const settings = [
  { subject: 'no client waits', workers: 1 },
  { subject: 'a client waits for another key', workers: 2 },
] as const;

/** Longer than any slice, in ms. */
const holdForever = 3_600_000;

/**
 * What a listener costs clients that do not wait. Measures uncontended pairs while another process
 * holds a lock, first without a waiter, then with one of its own.
 */
export async function measureListening(
  { dialect, url }: Database,
  concurrency: number,
  rotation: Rotation,
  { retryDelay }: RetryOptions,
): Promise<Result[]> {
  const party = await openParty('@locks', { url, retryDelay });
  try {
    const slices = await rotate(settings, rotation, async ({ workers }, slice) => {
      const plan = { url, subject: '@locks', key: `other/${randomUUID()}`, processes: 1, workers, hold: holdForever };
      await using crews = await startCrews({ backend: 'sql', ...plan, turns: 1, retryDelay });
      await crews.begin();
      return await runPairs('@locks', party, concurrency, slice);
    });
    return settings.map((setting) => {
      const own = slices.get(setting) ?? [];
      const { perSecond, p50, p99 } = pairFigures(own);
      const ratio = ratioFigures('ratioToQuiet', ratesOf(own), ratesOf(slices.get(settings[0])));
      return { scenario: `${dialect}/listening`, subject: setting.subject, concurrency, perSecond, ...ratio, p50, p99 };
    });
  } finally {
    await party.close();
  }
}
