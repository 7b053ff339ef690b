import { openLocks } from '@locks/core';
import type { JobRun } from '@locks/core';
import { eventually } from '@locks/test-servers';
import { expect } from 'vitest';
import type { TestContext } from 'vitest';
import type { ExampleCopy } from '../support/example-copies.ts';
import type { Running } from '../support/running.ts';

/** Three processes of an example with a round every five seconds. */
export interface Replicas {
  /** The rounds that began, in ms since 1970, in order, and in which process. */
  rounds(): readonly { readonly slot: number; readonly by: Running }[];
  /** What the other processes said of a round, without the name of that which ran. */
  answers(): readonly string[];
  /** Kills a process as soon as it works, and gives its round. */
  kill(): Promise<number>;
  /** Ends them, and gives their exit codes. */
  end(): Promise<readonly (number | null)[]>;
}

export async function startReplicas(
  example: ExampleCopy,
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<Replicas> {
  const replicas = [1, 2, 3].map(() => example.start([script], env));
  await Promise.all(replicas.map((replica) => replica.said(/^(?:waits for the next round|listens on .*)$/)));
  const killed = new Set<Running>();
  const rounds: Replicas['rounds'] = () => {
    const all = replicas.flatMap((by) =>
      by.lines.flatMap((line) => {
        const [, time] = /^sends (\S+Z)$/.exec(line) ?? [];
        return time === undefined ? [] : [{ slot: Date.parse(time), by }];
      }),
    );
    return all.toSorted((one, other) => one.slot - other.slot);
  };
  return {
    rounds,
    answers: () =>
      replicas.flatMap(({ lines }) =>
        lines.flatMap((line) => /^(?:running|done|failed|passed) \S+Z/.exec(line)?.[0] ?? []),
      ),
    async kill() {
      const before = rounds().length;
      const { slot, by } = await eventually('a run', () => rounds().at(before), 40_000);
      killed.add(by);
      await by.end('SIGKILL');
      return slot;
    },
    end: () => Promise.all(replicas.filter((each) => !killed.has(each)).map((each) => each.end('SIGTERM'))),
  };
}

/** Each round once, and none is left out between the first and the last. */
export function expectEachOnce({ rounds }: Replicas): void {
  const slots = rounds().map(({ slot }) => slot);
  const between = (slots.at(-1)! - slots[0]!) / 5_000 + 1;
  expect(slots).toEqual(Array.from({ length: between }, (_, index) => slots[0]! + index * 5_000));
}

/** What a process that looks at the store has seen of jobs, by slot and state: `17000 failed`. */
export async function watchJobs(
  url: string,
  onTestFinished: TestContext['onTestFinished'],
): Promise<ReadonlyMap<string, JobRun>> {
  const locks = await openLocks(url);
  const seen = new Map<string, JobRun>();
  let open = true;
  const look = async (): Promise<void> => {
    while (open) {
      for await (const job of locks.jobs()) seen.set(`${Number(job.slot)} ${job.state}`, job);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const looking = look();
  onTestFinished(async () => {
    open = false;
    await looking;
    await locks.close();
  });
  return seen;
}

/**
 * Each round once in three processes, also after one was killed at work and after one failed: each
 * second does. `failure`: how the record tells that.
 */
export async function checkRounds(
  replicas: Replicas,
  seen: ReadonlyMap<string, JobRun>,
  failure: 'failed' | 'done',
): Promise<void> {
  await eventually('two rounds', () => replicas.rounds().length >= 2, 40_000);
  const killed = await replicas.kill();
  await eventually('the record of the dead run', () => seen.has(`${killed} crashed`), 40_000);
  const isTold = (slot: number): boolean => slot > killed && slot % 10_000 === 0 && seen.has(`${slot} ${failure}`);
  const failed = (): number | undefined => replicas.rounds().find(({ slot }) => isTold(slot))?.slot;
  const slot = await eventually(`a failed round that is told as ${failure}`, failed, 40_000);
  if (failure === 'failed') expect(seen.get(`${slot} failed`)).toMatchObject({ error: 'no paper' });
  await eventually('a round after it', () => replicas.rounds().at(-1)!.slot > slot, 40_000);
  expectEachOnce(replicas);
}
