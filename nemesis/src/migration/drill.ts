import { setTimeout as sleep } from 'node:timers/promises';
import { migrationStatus, waitForPhase } from '@locks/composites';
import { isLockError } from '@locks/core';
import { type Proxy, startProxy } from '@locks/test-servers';
import { now } from '../clock.ts';
import { follow } from '../faults/follow.ts';
import type { Victims } from '../faults/inflict.ts';
import type { Flaw } from '../flawed/spoil.ts';
import { inspect } from '../inspect.ts';
import type { RunLog } from '../log/events.ts';
import { readRunLog } from '../log/reader.ts';
import { type OpenedRun, openRun } from '../opened-run.ts';
import { type Random, createRandom } from '../random.ts';
import { type Fleet, createFleet } from './fleet.ts';
import { type Change, faultTime, planDrill } from './plan.ts';
import { type StoreName, lasting, modules, presenceTtl, startStores, storeNames } from './stores.ts';

export interface DrillOptions {
  /** In ms, of all changes. */
  readonly length: number;
  readonly seed: number;
  /** So many processes take locks, and have faults. One more keeps a lease all the time. */
  readonly workers: number;
  readonly flows: number;
  /** Takes something out of core. */
  readonly flaw?: Flaw | undefined;
  /** @default any store */
  readonly begin?: StoreName | undefined;
}

/**
 * In ms, after the last fault: longer, and a change hangs. A lease that lasts keeps its process in
 * a store, and the first process of an end looks twice.
 */
const longestChange = 1.5 * lasting + 2 * presenceTtl + 10_000;
/** In ms: what should take moments, on a machine under load. */
const patience = 60_000;

/**
 * Locks go from store to store under a fleet that has faults, with all files in `folder`. Gives the
 * logs.
 */
export async function drill(folder: string, options: DrillOptions): Promise<RunLog> {
  const { length, seed, workers: count, flows, flaw, begin } = options;
  const run = await openRun(folder, { ...modules, flaw });
  const proxies: Proxy[][] = [];
  let stop = async (): Promise<void> => {};
  try {
    const stores = await startStores();
    stop = () => stores.stop();
    for (let slot = 0; slot < count; slot += 1) {
      proxies.push(await Promise.all(stores.servers.map((server) => startProxy(server))));
    }
    await Promise.all(storeNames.map((store) => inspect(folder, stores.plain(store), 0)));
    const fleet = createFleet(run, { folder, stores, proxies, flows, seed });
    stop = async () => {
      fleet.workers.stop();
      await stores.stop();
    };
    const victims = { workers: fleet.workers, proxies, backend: stores };
    const details = createRandom(seed + 1);
    const begun = now();
    const passed = (): number => now() - begun;
    let succeeds = false;
    for (const { leg, begins, change } of planDrill(createRandom(seed), { length, workers: count, begin, passed })) {
      if (begins) {
        fleet.begin(leg);
        await deploy(run, fleet, succeeds);
        succeeds = true;
      }
      await go(run, fleet, victims, details, change);
    }
    await calm(run, fleet);
    const left = await Promise.all(storeNames.map((store) => inspect(folder, stores.plain(store), 20_000)));
    for (const message of left.flat()) run.append({ type: 'wrong', at: now(), message });
    await run.keepLogs(stores.servers);
  } finally {
    await Promise.all(proxies.flat().map((proxy) => proxy.stop()));
    await stop();
    await run.close();
  }
  return readRunLog(run.logs);
}

/** The processes of the present leg take the place of those before, some at a time. */
async function deploy(run: OpenedRun, fleet: Fleet, succeeds: boolean): Promise<void> {
  const { slots, workers } = fleet;
  fleet.tell(slots, 'from');
  if (succeeds) {
    for (let first = 0; first < slots.length; first += 2) {
      await Promise.all(slots.slice(first, first + 2).map((slot) => workers.succeed(slot, patience)));
    }
  } else for (const slot of slots) workers.start(slot);
  if (!(await workers.obeyed(patience))) wrong(run, 'the processes could not open their locks');
}

/** One change, with its faults. Returns when it is complete. */
async function go(run: OpenedRun, fleet: Fleet, victims: Victims, random: Random, change: Change): Promise<void> {
  const { to, skipping, lead, late, between, faults } = change;
  const begun = now();
  let from = begun;
  let after = begun;
  run.append({ type: 'phase', at: begun, phase: 'faults' });
  const tellAll = async (): Promise<void> => {
    const others = fleet.slots.filter((slot) => !skipping.includes(slot));
    await sleep(lead);
    from = now();
    fleet.tell(skipping, to);
    await sleep(late);
    fleet.tell(others, 'both');
    await sleep(between);
    await mayGo(run, fleet, to, begun + faultTime + longestChange);
    after = now();
    fleet.tell(others, to);
  };
  const follows = faults.map(async (fault) => {
    await follow(fault, victims, random, run.append);
    after = Math.max(after, now());
  });
  await Promise.all([tellAll(), sleep(faultTime), ...follows]);
  await Promise.all(victims.proxies.flat().map((proxy) => proxy.pass()));
  if (!(await fleet.workers.obeyed(patience))) wrong(run, 'a process could not open its locks after the faults');
  const { name } = fleet.config().options as { readonly name: string };
  after = Math.max(after, from);
  const until = after + longestChange;
  const error = await complete(fleet, to, until);
  const at = now();
  if (error === undefined && !(await settle(run, fleet, to, until))) {
    wrong(run, `the status of ${name} does not stay at "${to}"`);
  }
  run.append({ type: 'change', at, migration: name, to, from, after });
  if (error !== undefined || at > until) {
    const when = `${((at - after) / 1_000).toFixed(1)} s after the last fault`;
    run.append({ type: 'wrong', at, message: `${name} was not in "${to}" ${when}: ${error ?? 'it took longer'}` });
  }
}

/**
 * Waits until no process is at the other end, as an operator does that counts none: those that are
 * stranded or paused are left behind.
 */
async function mayGo(run: OpenedRun, fleet: Fleet, end: 'from' | 'to', until: number): Promise<void> {
  for (;;) {
    await ask(run, fleet, false);
    const { processes, ...stores } = await migrationStatus(fleet.config());
    const left = end === 'to' ? 'from' : 'to';
    if (stores[left].alone?.length === 0 && processes.every(({ effective }) => effective !== left)) return;
    if (now() > until) {
      wrong(run, `processes take locks in one store, though all may be in both: ${JSON.stringify(processes)}`);
      return;
    }
    await sleep(250);
  }
}

/**
 * Waits until the status says that all are in `phase`, and logs it. The presence of a process that
 * was killed may count for a moment in place of its successor, which begins in both.
 */
async function settle(run: OpenedRun, fleet: Fleet, phase: string, until: number): Promise<boolean> {
  while (!(await ask(run, fleet, false)).includes(phase)) {
    if (now() > until) return false;
    await sleep(250);
  }
  await ask(run, fleet, true);
  return true;
}

/** Logs the status; gives the phases that all are in. */
async function ask(run: OpenedRun, fleet: Fleet, settled: boolean): Promise<readonly string[]> {
  const from = now();
  const { name, processes, obstacles } = await migrationStatus(fleet.config(), { processes: fleet.slots.length });
  const reached = (['from', 'both', 'to'] as const).filter((phase) => obstacles[phase].length === 0);
  const seen = processes.map(({ process, effective }) => ({ process: process.replace(/~.*/, ''), effective }));
  run.append({ type: 'status', at: now(), from, migration: name, settled, processes: seen, reached });
  return reached;
}

/** Waits until each process is in `phase`; gives why not. */
async function complete(fleet: Fleet, phase: 'from' | 'to', until: number): Promise<string | undefined> {
  const left = Math.max(0, Math.round(until - now()));
  try {
    await waitForPhase(fleet.config(), phase, left, { processes: fleet.slots.length });
    return undefined;
  } catch (error) {
    if (isLockError(error, 'LOCK_TIMEOUT')) return error.message;
    throw error;
  }
}

/** Without faults each process gets each lock, and ends when it is told to. */
async function calm(run: OpenedRun, fleet: Fleet): Promise<void> {
  const { workers } = fleet;
  const phase = (name: 'recovery' | 'calm' | 'end'): void => run.append({ type: 'phase', at: now(), phase: name });
  phase('recovery');
  await sleep(500);
  phase('calm');
  workers.order('calm');
  if (!(await workers.obeyed(patience))) wrong(run, `the processes did not get all locks within ${patience} ms`);
  phase('end');
  await workers.leave(patience);
}

function wrong(run: OpenedRun, message: string): void {
  run.append({ type: 'wrong', at: now(), message });
}
