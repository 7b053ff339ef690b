import type { ListedTarget } from '../targets/listed.ts';
import { targets } from '../targets/index.ts';
import { type Cell, cellsOf, clientOf, faultOf, kindsOf } from './cells.ts';
import { type Result, readResults } from './results.ts';

/** The next run of a walk. */
export interface Slice {
  readonly target: string;
  readonly client: string;
  readonly faults: readonly string[];
}

/** How many kinds of faults share a run: with more, each happens rarely. */
const kindsAtOnce = 8;

/** The least recently run cells, of the targets that `may` be run. */
export function nextSlice(may: (target: ListedTarget) => boolean, results: readonly Result[] = readResults()): Slice {
  const runs = new Map<string, number>();
  for (const [number, { target, cells }] of results.entries()) {
    for (const cell of cells) runs.set(`${target} / ${cell}`, number);
  }
  const lastRun = (target: string, cell: Cell): number => runs.get(`${target} / ${cell}`) ?? -1;
  const all = Object.values(targets)
    .filter(may)
    .flatMap((target) => cellsOf(target).map((cell) => ({ target, cell, at: lastRun(target.name, cell) })));
  const oldest = Math.min(...all.map(({ at }) => at));
  const due = all.filter(({ at }) => at === oldest);
  const target = mostOf(due.map((each) => each.target));
  const cells = due.flatMap((each) => (each.target === target ? [each.cell] : []));
  const client = mostOf(cells.map(clientOf));
  const kinds = new Set(cells.filter((cell) => clientOf(cell) === client).map(faultOf));
  return {
    target: target.name,
    client,
    faults: kindsOf(target)
      .filter((kind) => kinds.has(kind))
      .slice(0, kindsAtOnce),
  };
}

/** The most frequent item. */
function mostOf<T>(items: readonly T[]): T {
  const counts = new Map<T, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  const [most] = [...counts].toSorted((one, other) => other[1] - one[1]);
  if (most === undefined) throw new Error('There is no target that may be run here.');
  return most[0];
}
