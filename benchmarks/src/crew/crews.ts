import { startChild } from '@locks/conformance/processes';
import type { Child } from '@locks/conformance/processes';
import type { Assignment, CrewReport, Request } from './crew-messages.ts';
import { firstWorkerOf } from './workers.ts';

/** How long a process may take to release what it has, in ms. */
const patience = 3_000;

/**
 * Several processes that do the same simultaneously. Each call rejects when one of them fails or
 * ends.
 */
export interface Crews extends AsyncDisposable {
  /** Resolves when the first claims of all are in the queue. */
  begin(): Promise<void>;
  /** Resolves when all workers have had their turns. */
  finish(): Promise<void>;
  /** Starts counting. */
  measure(): Promise<void>;
  /** Acquisitions since `measure`. */
  grants(): Promise<number>;
  reports(): Promise<CrewReport[]>;
}

export type Plan = Omit<Assignment, 'process' | 'firstWorker'>;

/** Splits `workers` evenly over `processes`, and starts those. */
export async function startCrews(plan: Plan): Promise<Crews> {
  const members = assignmentsOf(plan).map((assignment) => ({
    assignment,
    child: startChild<Request>(new URL('./crew-process.js', import.meta.url), {
      name: `A process of ${assignment.subject}`,
    }),
  }));
  const all = (kind: Exclude<Request['kind'], 'prepare'>): Promise<unknown[]> =>
    Promise.all(members.map(({ child }) => child.ask({ kind })));
  const crews: Crews = {
    begin: async () => void (await all('begin')),
    finish: async () => void (await all('finish')),
    measure: async () => void (await all('measure')),
    grants: async () => ((await all('grants')) as number[]).reduce((total, grants) => total + grants, 0),
    reports: async () => (await all('report')) as CrewReport[],
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map(({ child }) => end(child)));
    },
  };
  try {
    await Promise.all(members.map(({ child, assignment }) => child.ask({ kind: 'prepare', assignment })));
  } catch (error) {
    await crews[Symbol.asyncDispose]();
    throw error;
  }
  return crews;
}

function assignmentsOf(plan: Plan): readonly Assignment[] {
  const firstOf = (process: number): number => firstWorkerOf(process, plan);
  return Array.from({ length: plan.processes }, (_, process) => ({
    ...plan,
    process,
    firstWorker: firstOf(process),
    workers: firstOf(process + 1) - firstOf(process),
  }));
}

async function end(child: Child<Request>): Promise<void> {
  // The answer is its end. It may be busy, or wait for a server that does not answer.
  child.ask({ kind: 'leave' }).catch(() => {});
  const late = setTimeout(() => void child.kill(), patience);
  await child.gone;
  clearTimeout(late);
}
