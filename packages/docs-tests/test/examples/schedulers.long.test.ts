import { join } from 'node:path';
import { eventually, startRedis } from '@locks/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createExampleCopies } from '../support/example-copies.ts';
import type { ExampleCopies, ExampleCopy } from '../support/example-copies.ts';
import { checkRounds, expectEachOnce, startReplicas, watchJobs } from './rounds.ts';

let examples: ExampleCopies;
let cron: ExampleCopy;
let bullmq: ExampleCopy;

beforeAll(() => {
  examples = createExampleCopies();
  cron = examples.copy('cron');
  bullmq = examples.copy('bullmq');
});

afterAll(() => examples.remove());

// They mostly wait.
describe.concurrent('each round runs once in three processes', { timeout: 140_000 }, () => {
  test.for([
    ['node-cron.js', 'failed'],
    ['croner.js', 'failed'],
    // node-cron does not tell its coordinator that a run failed.
    ['coordinator.js', 'done'],
  ] as const)('cron: %s, also where runs fail or their process dies', async ([script, failure], { onTestFinished }) => {
    const url = `sqlite:${join(cron.folder, `${script}.db`)}?migrate=true`;
    const replicas = await startReplicas(cron, script, { LOCKS_URL: url });
    await checkRounds(replicas, await watchJobs(url, onTestFinished), failure);
    expect(await replicas.end()).toEqual([0, 0]);
  });

  test('bullmq: repeat.js, and a job whose worker died is not run again', async ({ onTestFinished }) => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const replicas = await startReplicas(bullmq, 'repeat.js', { REDIS_URL: redis.url });
    const seen = await watchJobs(redis.url, onTestFinished);
    await eventually('two rounds', () => replicas.rounds().length >= 2, 40_000);
    const killed = await replicas.kill();
    await eventually('the record of the dead run', () => seen.has(`${killed} crashed`), 40_000);
    const again = new RegExp(`^(?:failed|passed) ${new Date(killed).toISOString()}$`);
    await eventually('its job in another worker', () => replicas.answers().some((line) => again.test(line)), 40_000);
    await eventually('two later rounds', () => replicas.rounds().at(-1)!.slot > killed + 5_000, 40_000);
    expectEachOnce(replicas);
    expect(await replicas.end()).toEqual([0, 0]);
  });
});
