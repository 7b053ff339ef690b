import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { HistoryEvent, Violation } from '@locks/core/testing';
import { type Proxy, startProxy } from '../../proxy/proxy.ts';
import { now } from '../clock.ts';
import type { Script } from '../script.ts';
import type { Address, NemesisTarget, Opening } from '../target.ts';
import type { Assignment, Note } from '../worker/messages.ts';
import { watchStalls } from '../worker/stalls.ts';
import { calmTurns, keysOf } from './calm.ts';
import { checkRound } from './check-round.ts';
import { type Figures, readFigures } from './figures.ts';
import { type Fleet, createFleet } from './fleet.ts';
import { inflictAll } from './inflict.ts';
import { findLeftovers } from './leftovers.ts';
import { startRegister } from './register.ts';

/** Where and how a script runs. */
export interface RunOptions {
  /** The folder for the logs: new, or without any. */
  readonly folder: string;
  /** The program of the workers, in the attacked application. @default this package's */
  readonly program?: string | URL;
  /** Where workers run. @default the folder of this process */
  readonly cwd?: string;
  /**
   * Workers are killed at the end of the script, without a calm phase and a check of the store.
   * @default false
   */
  readonly brief?: boolean;
}

/** The result of a script. */
export interface Round {
  /** What all processes did. */
  readonly history: readonly HistoryEvent[];
  /** The guarantees of the library that it violates. */
  readonly violations: readonly Violation[];
  /** Its numbers. */
  readonly figures: Figures;
  /** The moment of the history at which the script began. */
  readonly begun: number;
}

/** How long brief steps of processes may take on a machine under load, in ms. */
const patience = 60_000;
/** How long the controller's proxies may pass nothing, in ms. */
const tolerance = 100;

/**
 * Runs `script` against `target`: with new processes, new keys, and a new register. Rejects where a
 * server does not do what the target declares.
 */
export async function runScript(script: Script, target: NemesisTarget, options: RunOptions): Promise<Round> {
  const { folder, program = new URL('./nemesis-worker.js', import.meta.url), cwd, brief = false } = options;
  mkdirSync(folder, { recursive: true });
  const { servers = [], openings, ttl } = target;
  const plain = (addresses: readonly Address[]): Address[] => addresses.map(({ host, port }) => ({ host, port }));
  const prefix = `nemesis-${script.seed}-${Math.random().toString(36).slice(2, 8)}/`;
  const noted: HistoryEvent[] = [];
  const wrongs: Violation[] = [];
  const note = (event: HistoryEvent): void => void noted.push(event);
  const wrong = (rule: Violation['rule'], message: string): void =>
    void wrongs.push({ rule, message, at: now(), ids: [] });
  const proxies: Proxy[][] = [];
  const register = await startRegister();
  const stopWatching = watchStalls(tolerance, note, { process: 'control' });
  const wall = Date.now() - now();
  const assignmentOf = (name: string): Pick<Assignment, 'prefix' | 'module' | 'args' | 'ttl' | 'register' | 'wall'> => {
    const { module, args = null } = openings[name] as Opening;
    return { prefix, ...(module && { module: urlOf(module) }), args, ttl, register: register.port, wall };
  };
  const shared = { program, cwd, logs: folder, note, wrong: (message: string) => wrong('processes', message) };
  let fleet: Fleet | undefined;
  let begun = now();
  try {
    for (const _ of script.workers) proxies.push(await Promise.all(servers.map((server) => startProxy(server))));
    fleet = createFleet({
      ...shared,
      slots: script.workers.length,
      assignment(slot, next) {
        const { opening = '', settings = {}, flows = [] } = script.workers[slot] ?? {};
        return { ...assignmentOf(next ?? opening), settings, flows, addresses: plain(proxies[slot] ?? []) };
      },
    });
    for (const slot of script.workers.keys()) fleet.start(slot);
    if (!(await fleet.obeyed(patience))) wrong('liveness', 'the workers could not open their locks before a fault');
    begun = now();
    const victims = { fleet, proxies, target, deployed: Promise.resolve() };
    await Promise.all([sleep(script.length), inflictAll(script.faults, victims, note)]);
    if (brief) await fleet.kill();
    else {
      await Promise.all(proxies.flat().map((proxy) => proxy.pass()));
      note({ type: 'healed', at: now(), process: 'control' });
      if (!(await fleet.obeyed(patience))) wrong('liveness', 'a worker could not open its locks after the faults');
      await sleep(target.healing ?? 0);
      fleet.calm(calmTurns(script));
      if (!(await fleet.obeyed(patience))) wrong('liveness', 'the workers did not get all locks without faults');
      await fleet.leave(patience);
      const { opening = '', settings = {} } = script.workers[0] ?? {};
      const looker = { ...assignmentOf(opening), settings, flows: [], addresses: plain(servers) };
      const left = await findLeftovers({ ...shared, assignment: looker }, keysOf(script, prefix), target);
      for (const line of left) wrong('leftovers', line);
    }
  } finally {
    fleet?.stop();
    stopWatching();
    await Promise.all(proxies.flat().map((proxy) => proxy.stop()));
    register.stop();
  }
  const notes = readNotes(folder);
  const history = [...notes.filter(isEvent), ...register.events, ...noted];
  const violations = [...checkRound(history, notes, script, target), ...wrongs].toSorted(
    (one, other) => one.at - other.at,
  );
  return { history, violations, figures: readFigures(history, notes), begun };
}

function urlOf(module: string | URL): string {
  return module instanceof URL ? module.href : module.startsWith('file:') ? module : pathToFileURL(module).href;
}

function isEvent(note: Note): note is HistoryEvent {
  return note.type !== 'crash' && note.type !== 'close';
}

function readNotes(folder: string): readonly Note[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.log'));
  return files.toSorted().flatMap((file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    // A line that a killed process did not finish did not happen.
    lines.pop();
    return lines.map((line) => JSON.parse(line) as Note);
  });
}
