import type { RetryOptions } from '../subjects/party.ts';
import type { Result } from '../results.ts';
import { openTap } from '../measure/tap.ts';
import type { Database } from './database.ts';
import { FrontendReader } from './frontend-messages.ts';
import type { Tally } from './frontend-messages.ts';
import { openParty } from './subjects/index.ts';

/** Before the count: connections are opened, and statements prepared. */
const before = 50;
const counted = 200;

function perPair(all: number | undefined): number | undefined {
  return all === undefined ? undefined : all / counted;
}

/** The messages of an uncontended acquire and release to Postgres, counted on their way. */
export async function measureStatements(
  { dialect, url, statements, resetStatements }: Database,
  names: readonly string[],
  { retryDelay }: RetryOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const subject of names) {
    const tally: Tally = { connections: 0, statements: 0, roundTrips: 0 };
    await using tap = await openTap(url, () => new FrontendReader(tally));
    const party = await openParty(subject, { url: tap.url, retryDelay });
    const take = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        const held = await party.acquire(`statements/${subject}`);
        await held.release();
      }
    };
    try {
      await take(before);
      await resetStatements();
      const start = { ...tally };
      await take(counted);
      const end = { ...tally };
      const server = await statements();
      results.push({
        scenario: `${dialect}/statements`,
        subject,
        statementsPerPair: (end.statements - start.statements) / counted,
        roundTripsPerPair: (end.roundTrips - start.roundTrips) / counted,
        connectionsPerPair: (end.connections - start.connections) / counted,
        serverStatementsPerPair: perPair(server?.count),
        serverMicroseconds: perPair(server?.microseconds),
      });
    } finally {
      await party.close();
    }
  }
  return results;
}
