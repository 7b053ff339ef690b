import { setImmediate } from 'node:timers/promises';
import { pairFigures, ratesOf, runPairs } from '../measure/pair-loop.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import { ratioFigures } from '../measure/statistics.ts';
import type { Result } from '../results.ts';
import type { Party } from '../subjects/party.ts';
import type { ClientParties, MeasuredClient } from './client.ts';

interface Contestant {
  readonly subject: string;
  readonly party: Party;
  /** The baseline. */
  readonly raw: string | undefined;
}

/** Acquire and release, each of `concurrency` workers with its own key, over each client. */
export async function measureClients(
  store: string,
  url: string,
  clients: readonly MeasuredClient[],
  concurrency: number,
  rotation: Rotation,
): Promise<Result[]> {
  const opened: ClientParties[] = [];
  const contestants: Contestant[] = [];
  try {
    for (const { name, open } of clients) {
      const parties = await open(url);
      opened.push(parties);
      contestants.push(
        { subject: name, party: parties.raw, raw: undefined },
        { subject: `@locks over ${name}`, party: parties.ours, raw: name },
      );
    }
    const slices = await rotate(contestants, rotation, async ({ subject, party }, slice) => {
      await setImmediate();
      return await runPairs(subject, party, concurrency, slice);
    });
    const rounds = new Map([...slices].map(([{ subject }, all]) => [subject, all]));
    return contestants.map(({ subject, raw }) => {
      const own = rounds.get(subject) ?? [];
      const toRaw = raw === undefined ? {} : ratioFigures('ratioToRaw', ratesOf(own), ratesOf(rounds.get(raw)));
      return { scenario: `clients/${store}`, subject, concurrency, ...pairFigures(own), ...toRaw };
    });
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
}
