import { randomUUID } from 'node:crypto';
import { unpackClaims } from '../crew/claims.ts';
import { failuresOf, observe } from '../crew/contention.ts';
import { startCrews } from '../crew/crews.ts';
import type { CrewReport } from '../crew/crew-messages.ts';
import type { RetryOptions } from '../subjects/party.ts';
import type { Result } from '../results.ts';
import type { Rotation } from '../measure/rotation.ts';
import { shuffle } from '../measure/random.ts';
import { median, percentile, ratioFigures } from '../measure/statistics.ts';
import type { Database } from './database.ts';

interface Round {
  readonly perSecond: number;
  readonly latencies: readonly number[];
  readonly reports: readonly CrewReport[];
}

/** Several simultaneous processes on one database, with a separate key for each worker. */
export async function measureOwnKeys(
  { dialect, url }: Database,
  names: readonly string[],
  processes: number,
  { rounds, slice, random }: Rotation,
  { retryDelay }: RetryOptions,
): Promise<Result[]> {
  const all = new Map<string, Round[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of shuffle(names, random)) {
      const plan = {
        url,
        subject,
        key: randomUUID(),
        ownKeys: true,
        processes,
        workers: processes,
        hold: 0,
        retryDelay,
      };
      all.get(subject)?.push(await runRound({ backend: 'sql', turns: Infinity, ...plan }, slice));
    }
  }
  const rates = (name: string): number[] => (all.get(name) ?? []).map(({ perSecond }) => perSecond);
  return names.map((subject) => {
    const own = all.get(subject) ?? [];
    const latencies = own.flatMap((round) => round.latencies);
    return {
      scenario: `${dialect}/own-keys`,
      subject,
      processes,
      perSecond: median(rates(subject)),
      ...ratioFigures('ratioToRaw', rates(subject), rates('raw client')),
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      ...failuresOf(own.flatMap(({ reports }) => reports)),
    };
  });
}

async function runRound(plan: Parameters<typeof startCrews>[0], ms: number): Promise<Round> {
  await using crews = await startCrews(plan);
  await crews.begin();
  const { from, to } = await observe(crews, { least: ms, most: ms, acquisitions: 0 }, 0);
  const reports = await crews.reports();
  const claims = reports
    .flatMap((report) => unpackClaims(report.claims))
    .filter(({ grantedAt }) => grantedAt >= from && grantedAt <= to);
  return {
    perSecond: (claims.length / (to - from)) * 1_000,
    latencies: claims.map(({ calledAt, grantedAt }) => grantedAt - calledAt),
    reports,
  };
}
