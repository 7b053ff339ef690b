import { setImmediate } from 'node:timers/promises';
import { failureText } from '../measure/failure.ts';
import { runPairs } from '../measure/pair-loop.ts';
import { rotate } from '../measure/rotation.ts';
import type { Rotation } from '../measure/rotation.ts';
import { median, percentile, ratioOfRounds } from '../measure/statistics.ts';
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
    const rates = (subject: string): number[] => (rounds.get(subject) ?? []).map(({ perSecond }) => perSecond);
    return contestants.map(({ subject, raw }) => {
      const own = rounds.get(subject) ?? [];
      const overRaw = raw === undefined ? undefined : ratioOfRounds(rates(subject), rates(raw));
      const latencies = own.flatMap((slice) => slice.latencies);
      const errors = own.flatMap((slice) => slice.errors);
      return {
        scenario: `clients/${store}`,
        subject,
        concurrency,
        perSecond: median(rates(subject)),
        ratioToRaw: overRaw?.median,
        ratioToRawLow: overRaw?.low,
        ratioToRawHigh: overRaw?.high,
        p50: percentile(latencies, 0.5),
        p99: percentile(latencies, 0.99),
        clientMicroseconds: median(own.map(({ clientMicroseconds }) => clientMicroseconds)),
        failures: errors.length,
        firstFailure: errors.length === 0 ? undefined : failureText(errors[0]),
      };
    });
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
}
