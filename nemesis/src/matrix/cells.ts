import { type NemesisTarget, type Script, faultKinds } from '@locks/conformance/nemesis';
import type { ListedTarget } from '../targets/listed.ts';

/** The calls that workers make. */
const calls = [
  ...['acquire', 'tryAcquire', 'withLock', 'tryWithLock', 'multiLock', 'once', 'elect', 'transfer', 'downgrade'],
] as const;

/** One cell of a target: `client / fault / call`. */
export type Cell = string;

const cell = (client: string, fault: string, call: string): Cell => `${client} / ${fault} / ${call}`;

/** The kinds of faults that a target can have. */
export function kindsOf({ faults, networked, name }: ListedTarget): readonly string[] {
  const servers = networked ? [{ host: '', port: 0 }] : [];
  return faultKinds({ name, ttl: 0, openings: {}, servers, faults } as unknown as NemesisTarget);
}

/** All cells of a target. */
export function cellsOf(target: ListedTarget): readonly Cell[] {
  return target.clients.flatMap((client) =>
    kindsOf(target).flatMap((fault) => calls.map((call) => cell(client, fault, call))),
  );
}

/** The cells that a round covered: a worker of that client made that call, and had that fault. */
export function cellsIn({ workers, faults }: Script): readonly Cell[] {
  const ran = workers.flatMap(({ opening, flows }, worker) => {
    const kinds = faults
      .filter((fault) => fault.worker === undefined || fault.worker === worker)
      .map(({ kind }) => kind);
    const made = flows.flat().flatMap(({ how, next }) => (next === undefined ? [how] : [how, next]));
    return kinds.flatMap((fault) => made.map((call) => cell(opening, fault, call)));
  });
  return [...new Set(ran)];
}

export const faultOf = (of: Cell): string => of.split(' / ')[1] ?? '';

export const clientOf = (of: Cell): string => of.split(' / ')[0] ?? '';
