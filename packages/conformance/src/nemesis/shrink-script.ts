import { now } from './clock.ts';
import { deploy } from './draw/draw-faults.ts';
import type { Fault, Script, Turn, WorkerScript } from './script.ts';

/** How a script is shrunk. */
export interface ShrinkOptions {
  /** When to stop, with the shortest script so far. @default 300 */
  readonly seconds?: number;
  /** How often a candidate may pass before it counts as passing. @default 2 */
  readonly tries?: number;
}

/** The length of a script for its reader: turns and faults. */
export function lengthOf({ workers, faults }: Script): number {
  return workers.reduce((sum, { flows }) => sum + flows.flat().length, faults.length);
}

/**
 * A shorter script that fails as well. Removes faults, workers, flows and turns, first many
 * together and then fewer, and optional properties of turns. Cuts the length last: a long script
 * fails more reliably.
 */
export async function shrinkScript(
  script: Script,
  fails: (candidate: Script) => Promise<boolean>,
  { seconds = 300, tries = 2 }: ShrinkOptions = {},
): Promise<Script> {
  const end = now() + seconds * 1_000;
  let best = script;
  const take = async (candidate: Script): Promise<boolean> => {
    for (let attempt = 0; attempt < tries && now() < end; attempt += 1) {
      if (!(await fails(candidate))) continue;
      best = candidate;
      return true;
    }
    return false;
  };
  /** Removes ever smaller parts of what `read` returns. */
  const thin = async <Item>(
    read: (from: Script) => readonly Item[],
    write: (from: Script, items: readonly Item[]) => Script,
    least: number,
  ): Promise<void> => {
    for (let size = read(best).length - least; size >= 1; size = Math.floor(size / 2)) {
      for (let first = 0; first < read(best).length && now() < end;) {
        const items = read(best);
        const kept = [...items.slice(0, first), ...items.slice(first + size)];
        if (kept.length >= least && kept.length < items.length && (await take(write(best, kept)))) continue;
        first += size;
      }
    }
  };
  for (let before = Infinity; lengthOf(best) < before && now() < end;) {
    before = lengthOf(best);
    await thin<Fault>(
      // Without one of several deploys the others would be invalid.
      ({ faults }) => faults.filter(({ kind }) => kind !== deploy),
      (from, faults) => ({ ...from, faults: [...from.faults.filter(({ kind }) => kind === deploy), ...faults] }),
      0,
    );
    await thin<number>(
      ({ workers }) => [...workers.keys()],
      (from, slots) => withWorkers(from, slots),
      1,
    );
    for (const slot of best.workers.keys()) {
      const change = (from: Script, flows: WorkerScript['flows']): Script => withFlows(from, slot, flows);
      const read = ({ workers }: Script): WorkerScript['flows'] => workers[slot]?.flows ?? [];
      await thin(read, change, 0);
      for (const flow of read(best).keys()) {
        await thin<Turn>(
          (from) => read(from)[flow] ?? [],
          (from, turns) => change(from, read(from).with(flow, turns)),
          1,
        );
      }
    }
  }
  await simplify(() => best, take);
  await cut(() => best, take);
  return best;
}

type Take = (candidate: Script) => Promise<boolean>;

/** Moves faults forward, and halves the length as long as that fails. */
async function cut(best: () => Script, take: Take): Promise<void> {
  const script = best();
  const soon = Math.max(0, Math.min(...script.faults.map(({ at }) => at)) - 500);
  if (soon > 0 && soon < Infinity)
    await take({ ...script, faults: script.faults.map((fault) => ({ ...fault, at: fault.at - soon })) });
  while (best().length > 500) {
    if (!(await take(shortened(best(), Math.ceil(best().length / 2))))) return;
  }
}

/** The first `length` ms of a script. */
export function shortened(script: Script, length: number): Script {
  const faults = script.faults
    .filter(({ at }) => at < length)
    .map((fault) => ({ ...fault, duration: Math.min(fault.duration, length - fault.at) }));
  return { ...script, length, faults };
}

/** The turns of a script that use one of `keys`. */
export function ofKeys(script: Script, keys: ReadonlySet<string>): Script {
  const used = ({ key, more = [] }: Turn): boolean => keys.has(key) || more.some((other) => keys.has(other));
  const workers = script.workers.map((worker) => {
    const flows = worker.flows.map((turns) => turns.filter(used)).filter(({ length }) => length > 0);
    return { ...worker, flows };
  });
  return { ...script, workers };
}

function withWorkers(script: Script, slots: readonly number[]): Script {
  return {
    ...script,
    workers: slots.flatMap((slot) => script.workers[slot] ?? []),
    faults: script.faults.flatMap(({ worker, ...fault }) => {
      if (worker === undefined) return [fault];
      return slots.includes(worker) ? [{ ...fault, worker: slots.indexOf(worker) }] : [];
    }),
  };
}

function withFlows(script: Script, slot: number, flows: WorkerScript['flows']): Script {
  return {
    ...script,
    workers: script.workers.map((worker, index) => (index === slot ? { ...worker, flows } : worker)),
  };
}

/** The optional properties of a turn. */
const spare = [
  'think',
  'inside',
  'next',
  'abortAfter',
  'lockDelay',
  'atLeast',
  'byObject',
  'reentrant',
  'ttl',
  'every',
  'times',
] as const;

/** Removes one property from all turns. */
async function simplify(best: () => Script, take: Take): Promise<void> {
  for (const name of spare) {
    const without = (turn: Turn): Turn => {
      const { [name]: _, ...rest } = turn;
      return { think: 0, ...rest };
    };
    const script = best();
    const turns = script.workers.flatMap(({ flows }) => flows.flat());
    if (!turns.some((turn) => (name === 'think' ? turn.think > 0 : turn[name] !== undefined))) continue;
    await take({
      ...script,
      workers: script.workers.map((worker) => ({ ...worker, flows: worker.flows.map((flow) => flow.map(without)) })),
    });
  }
}
