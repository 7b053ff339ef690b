import type { ChildProcess } from 'node:child_process';
import { wallClocks } from '@locks/test-servers';
import type { Store, StoreName } from '../support/stores.ts';
import { judge } from './judge.ts';
import type { Judged } from './judge.ts';
import { atWork, startReplicas } from './replicas.ts';
import type { ReplicaJob, Replicas } from './replicas.ts';

/** What one run has: four replicas with some jobs, and what happens to them. */
export interface Scenario {
  readonly name: string;
  /** The length of a round, in ms. */
  readonly period: number;
  readonly jobs: readonly ReplicaJob[];
  /** Other stores have nothing that it could happen to. */
  readonly stores?: readonly StoreName[];
  /** The environment of a process, by its number. */
  environment?(number: number): Readonly<Record<string, string>>;
  /** What happens in the rounds up to `last`. */
  happen?(replicas: Replicas, last: number, store: Store): Promise<void>;
  /** What it needs. */
  [Symbol.asyncDispose]?(): PromiseLike<void>;
}

const usual = {
  options: { ttl: 4_000 },
  lasts: [20, 120],
  fails: 0,
  jitter: [0, 40],
  offset: 0,
  obeys: false,
} as const satisfies Omit<ReplicaJob, 'key'>;

const servers = ['redis', 'postgres', 'mariadb', 'etcd'] as const;

/** Its calls come half a period from the times that its slots have: what the docs warn of. */
export const edge = 'every, half a period off';

/** A process is killed about once in so many rounds. */
const killEach = 3;

/** Replicas of different time zones, and all kinds of slots. */
function calm(): Scenario {
  const period = 800;
  return {
    name: 'calm',
    period,
    jobs: [
      { ...usual, key: 'success' },
      { ...usual, key: 'failure, keep', fails: 0.3 },
      { ...usual, key: 'failure, retry', fails: 0.3, options: { ...usual.options, onFailure: 'retry', wait: 300 } },
      { ...usual, key: 'half a period late', jitter: [0, 400] },
      { ...usual, key: 'every, at', every: 400, offset: 400, jitter: [-100, 100], lasts: [10, 20] },
      { ...usual, key: edge, every: 0, offset: 400, jitter: [-100, 100], lasts: [10, 20] },
    ],
    environment: (number) => ({ TZ: number % 2 === 0 ? 'America/New_York' : 'Asia/Kolkata' }),
  };
}

/** The process at work is killed. */
function crash(name: StoreName, onFailure: 'keep' | 'retry'): Scenario {
  // Leases of etcd last 2 s at least.
  const [ttl, period] = name === 'etcd' ? [2_000, 4_500] : [600, 1_500];
  const options = { ttl, onFailure, ...(onFailure === 'retry' ? { wait: 2 * ttl } : {}) };
  const key = `SIGKILL, ${onFailure}`;
  return {
    name: `crash, ${onFailure}`,
    period,
    jobs: [{ ...usual, key, options, lasts: [100, 250] }],
    happen: (replicas, last) => eachAtWork(replicas, key, last, (child) => replicas.kill(child)),
  };
}

/** The process at work gets a SIGTERM: its work goes on to its end, or obeys. */
function terminate(): Scenario {
  const jobs = [
    { ...usual, key: 'SIGTERM, keep', lasts: [200, 300] },
    {
      ...usual,
      key: 'SIGTERM, retry',
      lasts: [200, 300],
      obeys: true,
      options: { ...usual.options, onFailure: 'retry', wait: 700 },
    },
  ] as const satisfies readonly ReplicaJob[];
  return {
    name: 'terminate',
    period: 1_000,
    jobs,
    async happen(replicas, last) {
      await Promise.all(
        jobs.map(({ key }) =>
          eachAtWork(replicas, key, last, async (child) => {
            if (replicas.all.includes(child)) await Promise.all([replicas.close(child), replicas.start()]);
          }),
        ),
      );
    },
  };
}

/** All processes are replaced in the middle of a run: new ones start, old ones close. */
function deploy(): Scenario {
  const job = { ...usual, key: 'deploy', lasts: [200, 300] } as const satisfies ReplicaJob;
  return {
    name: 'deploy',
    period: 1_000,
    jobs: [job],
    async happen(replicas, last) {
      for (let round = 5; round < last - 3; round = roundOf(replicas) + 5) {
        await replicas.until(round);
        while (atWork(replicas, job.key) === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
        const old = [...replicas.all];
        await Promise.all(old.map(() => replicas.start()));
        await Promise.all(old.map((child) => replicas.close(child)));
      }
    },
  };
}

/** The store stands still in the middle of a run. */
function standstill(): Scenario {
  const key = 'store stands still';
  return {
    name: 'standstill',
    period: 1_000,
    stores: servers,
    jobs: [{ ...usual, key, lasts: [200, 300] }],
    happen: (replicas, last, { server }) =>
      eachAtWork(replicas, key, last, async () => {
        await server?.pause();
        await new Promise((resolve) => setTimeout(resolve, 600));
        await server?.resume();
      }),
  };
}

/** The clock of one process is put forward by an hour, and then back by two. */
async function clockSteps(): Promise<Scenario> {
  const clocks = await wallClocks();
  const hour = 3_600_000;
  const port = 1;
  await clocks.put({ port }, 0);
  return {
    name: 'clock',
    period: 800,
    jobs: [
      { ...usual, key: 'clock ±1 h' },
      { ...usual, key: 'clock ±1 h, every', every: 400, offset: 400, jitter: [-100, 100], lasts: [10, 20] },
      {
        ...usual,
        key: 'clock ±1 h, pauses',
        fails: 0.3,
        options: { ...usual.options, onFailure: { retries: 3, after: 100 }, wait: 400 },
      },
    ],
    environment: (number) => (number === 0 ? clocks.environmentOf(port) : {}),
    async happen(replicas, last) {
      for (const [part, off] of [
        [0.2, hour],
        [0.45, 0],
        [0.6, -hour],
        [0.85, 0],
      ] as const) {
        await replicas.until(Math.round(last * part));
        await clocks.put({ port }, off);
      }
    },
    [Symbol.asyncDispose]: () => clocks[Symbol.asyncDispose](),
  };
}

/** All scenarios for a store. Those of a group run side by side. */
export async function scenariosOf(name: StoreName): Promise<readonly (readonly Scenario[])[]> {
  const groups = [
    [calm()],
    [crash(name, 'keep'), crash(name, 'retry')],
    [terminate(), deploy()],
    [standstill()],
    [await clockSteps()],
  ];
  return groups.map((group) => group.filter(({ stores }) => stores?.includes(name) ?? true));
}

/** Runs `rounds` rounds. Gives what became of each job. */
export async function play(
  scenario: Scenario,
  store: Store,
  rounds: number,
): Promise<readonly (readonly [ReplicaJob, Judged])[]> {
  const { period, jobs, environment } = scenario;
  const replicas = await startReplicas(store, period, rounds, jobs, environment);
  try {
    // The first round is in the middle of a start.
    const [first, last] = [1, rounds];
    await scenario.happen?.(replicas, last, store);
    await replicas.until(last + 1);
    // The last calls may wait for a while.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    return jobs.map((job) => [job, judge(replicas, job, first, last)]);
  } finally {
    await replicas.end();
    await scenario[Symbol.asyncDispose]?.();
  }
}

function roundOf({ base, period }: Replicas): number {
  return Math.floor((Date.now() - base) / period);
}

/** Does `harm` in the middle of about one in `killEach` runs until the round `last`. */
async function eachAtWork(
  replicas: Replicas,
  key: string,
  last: number,
  harm: (child: ChildProcess) => Promise<void>,
): Promise<void> {
  let seen = -1;
  while (roundOf(replicas) < last) {
    await new Promise((resolve) => setTimeout(resolve, 15));
    const found = atWork(replicas, key);
    if (found === undefined || found.round === seen || found.round >= last) continue;
    seen = found.round;
    if (Math.random() * killEach < 1) await harm(found.child);
  }
}
