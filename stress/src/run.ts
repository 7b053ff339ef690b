import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startChild } from '@locks/conformance/processes';
import { type Proxy, startProxy } from '@locks/test-servers';
import type { Backend, RunningBackend } from './backends/backend.ts';
import { type Verdict, check } from './check/check.ts';
import { now } from './clock.ts';
import { type Victims, inflict } from './faults/inflict.ts';
import { type PlannedFault, planFaults } from './faults/schedule.ts';
import { installPacked } from './install.ts';
import type { ControlEvent } from './log/events.ts';
import { readRunLog } from './log/reader.ts';
import { openLog } from './log/writer.ts';
import { type Random, createRandom } from './random.ts';
import type { Listen } from './register/listen.ts';
import { watchStalls } from './stalls.ts';
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
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const append = openLog<ControlEvent>(join(logs, 'control.log'));
  installPacked(folder, backend.adapter, backend.clients);
  const socket = join(folder, 'register.sock');
  const register = startChild<Listen>(join(folder, 'programs/register/register-process.js'), { name: 'the register' });
  let isOver = false;
  void register.gone.then((end) => {
    if (!isOver) append({ ev: 'wrong', t: now(), message: `the register died (${end})` });
  });
  const stopWatching = watchStalls(append);
  let running: RunningBackend | undefined;
  let workers: Workers | undefined;
  const proxies: Proxy[][] = [];
  try {
    await register.ask({ socket, log: join(logs, 'register.log') });
    running = await backend.start(folder);
    const { servers } = running;
    for (let slot = 0; slot < options.workers; slot += 1) {
      proxies.push(await Promise.all(servers.map((server) => startProxy(server))));
    }
    await inspect(folder, running, 0);
    const opened = running;
    const target = (slot: number): Target => {
      const plain = opened.target(proxies[slot] ?? []);
      return opened.own === undefined || slot % 2 === 0 ? plain : { ...plain, own: opened.own };
    };
    const { workers: slots, flows, seed } = options;
    workers = createWorkers({ application: folder, logs, register: socket, slots, flows, seed, target, append });
    for (let slot = 0; slot < slots; slot += 1) workers.start(slot);
    await runRounds({ workers, proxies, backend: opened }, options, target(0).ttl, append);
    const left = await inspect(folder, running, 3 * target(0).ttl + 10_000);
    for (const message of left) append({ ev: 'wrong', t: now(), message });
    for (const [index, server] of servers.entries()) {
      writeFileSync(join(logs, `server-${index}.txt`), await server.log());
    }
  } finally {
    stopWatching();
    workers?.stop();
    await Promise.all(proxies.flat().map((proxy) => proxy.stop()));
    await running?.stop();
    isOver = true;
    await register.kill();
  }
  return check(readRunLog(logs));
}

async function runRounds(
  victims: Victims,
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
  const phase = (name: 'faults' | 'recovery' | 'calm' | 'end'): void => append({ ev: 'phase', t: now(), phase: name });
  const must = (done: boolean, message: string): boolean => {
    if (!done) append({ ev: 'wrong', t: now(), message });
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

async function follow(
  fault: PlannedFault,
  victims: Victims,
  random: Random,
  append: (event: ControlEvent) => void,
): Promise<void> {
  await sleep(fault.at);
  const from = now();
  await inflict(fault, victims, random);
  const { kind, target } = fault;
  append({ ev: 'fault', t: now(), from, kind, ...(kind.startsWith('server') ? {} : { slot: target }) });
}

/** Opens the locks without faults; gives what is held or waited for after `limit` ms. */
async function inspect(folder: string, running: RunningBackend, limit: number): Promise<readonly string[]> {
  const target = running.target(running.servers);
  const options = { ...target.options, ...running.prepare };
  const args = [join(folder, 'programs/worker/inspect-process.js'), JSON.stringify({ ...target, options }), `${limit}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: limit + 60_000 });
  return JSON.parse(stdout) as string[];
}
