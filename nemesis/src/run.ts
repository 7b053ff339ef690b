import { setTimeout as sleep } from 'node:timers/promises';
import { type Proxy, startProxy } from '@locks/test-servers';
import type { Backend, RunningBackend } from './backends/backend.ts';
import { type Verdict, check } from './check/check.ts';
import { now } from './clock.ts';
import { follow } from './faults/follow.ts';
import type { Victims } from './faults/inflict.ts';
import { planFaults } from './faults/schedule.ts';
import { inspect } from './inspect.ts';
import type { ControlEvent } from './log/events.ts';
import { readRunLog } from './log/reader.ts';
import { openRun } from './opened-run.ts';
import { createRandom } from './random.ts';
import type { Target } from './worker/messages.ts';
import { type Workers, createWorkers } from './workers.ts';

/** What one run is about. */
export interface RunOptions {
  /** In ms. */
  readonly length: number;
  readonly seed: number;
  readonly workers: number;
  readonly flows: number;
}

/**
 * In ms: how long the workers may take for what should take them moments, on a machine under load.
 */
const patience = 60_000;
/** In ms: what follows the faults of a round. */
const recovery = 4_000;

/** Puts `backend` under stress, with all files in `folder`, and judges the logs. */
export async function run(backend: Backend, folder: string, options: RunOptions): Promise<Verdict> {
  const { adapter } = backend;
  const adapters = adapter === undefined ? [] : [adapter];
  const opened = await openRun(folder, { adapters, clients: backend.clients });
  const { logs, register, append } = opened;
  let running: RunningBackend | undefined;
  let workers: Workers | undefined;
  const proxies: Proxy[][] = [];
  try {
    running = await backend.start(folder);
    const { servers } = running;
    const own = running;
    for (let slot = 0; slot < options.workers; slot += 1) {
      proxies.push(await Promise.all(servers.map((server) => startProxy(server))));
    }
    const direct = own.target(servers);
    const first = { ...direct, options: { ...direct.options, ...own.prepare } };
    await inspect(folder, first, 0);
    const target = (slot: number): Target => {
      const plain = own.target(proxies[slot] ?? []);
      return own.own === undefined || slot % 2 === 0 ? plain : { ...plain, own: own.own };
    };
    const { workers: slots, flows, seed } = options;
    workers = createWorkers({ application: folder, logs, register, slots, flows: () => flows, seed, target, append });
    for (let slot = 0; slot < slots; slot += 1) workers.start(slot);
    await runRounds({ workers, proxies, backend: own }, options, target(0).ttl, append);
    const left = await inspect(folder, first, 3 * target(0).ttl + 10_000);
    for (const message of left) append({ type: 'wrong', at: now(), message });
    await opened.keepLogs(servers);
  } finally {
    workers?.stop();
    await Promise.all(proxies.flat().map((proxy) => proxy.stop()));
    await running?.stop();
    await opened.close();
  }
  return check(readRunLog(logs));
}

async function runRounds(
  victims: Victims & { readonly backend: RunningBackend },
  { length, seed, workers: slots }: RunOptions,
  ttl: number,
  append: (event: ControlEvent) => void,
): Promise<void> {
  const { workers, proxies, backend } = victims;
  const shape = {
    ttl,
    workers: slots,
    servers: backend.servers.length,
    members: backend.between !== undefined,
    empty: backend.empty,
  };
  const phase = (name: 'faults' | 'recovery' | 'calm' | 'end'): void =>
    append({ type: 'phase', at: now(), phase: name });
  const must = (done: boolean, message: string): boolean => {
    if (!done) append({ type: 'wrong', at: now(), message });
    return done;
  };
  const rounds = Math.max(1, Math.round(length / 60_000));
  // Faults that go on at the same time draw in any order: the plans have numbers of their own.
  const details = createRandom(seed);
  const faultTime = Math.max(length / rounds - recovery - 1_000, (2 * length) / rounds / 3);
  let fine = must(await workers.obeyed(patience), 'the workers could not open their locks before the first fault');
  for (let round = 0; round < rounds && fine; round += 1) {
    phase('faults');
    const plan = planFaults(createRandom(seed * 1_000 + round), { ...shape, length: faultTime });
    await Promise.all([sleep(faultTime), ...plan.map((fault) => follow(fault, victims, details, append))]);
    await Promise.all(proxies.flat().map((proxy) => proxy.pass()));
    phase('recovery');
    await sleep(recovery);
    fine = must(await workers.obeyed(patience), 'a worker could not open its locks after the faults');
    phase('calm');
    workers.order('calm');
    const calmed = await workers.obeyed(patience);
    fine = must(calmed, `the workers did not get all locks within ${patience} ms without faults`) && fine;
    if (fine && round < rounds - 1) workers.order('resume');
  }
  phase('end');
  await workers.leave(patience);
}
