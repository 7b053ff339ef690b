import { afterAll, expect, test } from 'vitest';
import type { Judged } from './jobs/judge.ts';
import type { ReplicaJob } from './jobs/replicas.ts';
import { edge, play, scenariosOf } from './jobs/scenarios.ts';
import { startStore } from './support/stores.ts';
import type { StoreName } from './support/stores.ts';

/** Of each scenario. The stage `jobs` has 50. */
const rounds = Number(process.env['LOCKS_TEST_ROUNDS'] ?? 8);
const stores = (process.env['LOCKS_TEST_STORES']?.split(',') ?? ['redis', 'sqlite']) as readonly StoreName[];
/** The beginning of the name of the only scenario to run. */
const only = process.env['LOCKS_TEST_SCENARIO'] ?? '';

const rows: string[] = [];
afterAll(() => {
  const head = '| store | job | rounds | succeeded | began again | succeeded twice | left out |';
  console.log([head, '|---|---|---|---|---|---|---|', ...rows].join('\n'));
});

/** Why a round may be left out, by the rules of `once`. */
const explained = new Set([
  'killed before its work',
  'the run before was at work',
  'calls took longer than a round',
  'all calls: LOCK_UNAVAILABLE',
  'all calls: LOCK_CLOSED',
]);

function row(store: StoreName, { key }: ReplicaJob, judged: Judged): string {
  const { rounds: count, succeeded, again, succeededTwice, leftOut } = judged;
  const why = Object.entries(leftOut).map(([reason, times]) => `${times}: ${reason}`);
  return `| ${store} | ${key} | ${count} | ${succeeded} | ${again} | ${succeededTwice} | ${why.join('; ') || 0} |`;
}

function problemsOf({ key, options }: ReplicaJob, judged: Judged): readonly string[] {
  const { again, succeededTwice, together, leftOut } = judged;
  const keeps = options.onFailure === undefined || options.onFailure === 'keep';
  const isHarmed = key.startsWith('SIGKILL') || judged.answers['LOCK_LOST'] !== undefined;
  const unexplained = Object.entries(leftOut).filter(([why]) => !explained.has(why));
  return [
    ...(keeps && again > 0 ? [`${key}: ${again} rounds began twice`] : []),
    // A retried run may repeat one that succeeded and was not recorded in time.
    ...(!isHarmed && succeededTwice > 0 ? [`${key}: ${succeededTwice} rounds succeeded twice`] : []),
    ...(!isHarmed && together > 0 ? [`${key}: ${together} runs beside another one`] : []),
    ...(unexplained.length > 0 ? [`${key}: left out ${JSON.stringify(unexplained)}`] : []),
  ];
}

test.concurrent.each(stores)(
  'jobs of four processes through all that happens: %s',
  { timeout: 1_200_000 },
  async (name) => {
    const store = await startStore(name);
    const problems: string[] = [];
    try {
      for (const group of await scenariosOf(name)) {
        const chosen = group.filter((each) => each.name.startsWith(only));
        const played = await Promise.all(chosen.map((scenario) => play(scenario, store, rounds)));
        for (const [job, judged] of played.flat()) {
          rows.push(row(name, job, judged));
          if (rounds > 10) console.log(rows.at(-1), JSON.stringify(judged.answers));
          const found = job.key === edge ? [] : problemsOf(job, judged);
          if (found.length > 0) problems.push(...found, JSON.stringify(judged.answers), ...judged.trace);
        }
      }
    } finally {
      await store.stop();
    }
    expect(problems).toEqual([]);
  },
);
