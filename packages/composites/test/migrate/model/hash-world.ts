import type { StateHash } from '../../../../core/test/search/state-table.ts';
import type { World } from './world.ts';

/** Two states that differ in numbers of claims alone are one. */
export function hashWorld(world: World, hash: StateHash): void {
  const numbers = new Map<number, number>([[0, 0]]);
  const number = (value: number): number => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  };
  const word = (text: string | undefined): number =>
    [...(text ?? '-')].reduce((sum, each) => sum * 31 + each.charCodeAt(0), 7) | 0;
  const add = (...values: readonly (number | string | boolean | undefined)[]): void => {
    for (const value of values) hash.add(typeof value === 'number' ? value : word(String(value)));
  };
  add(world.now, world.highest, world.ticks, world.losses, world.crashes, world.sleeps, world.problem);
  for (const { phase, claim, presence, answered, mark, ...own } of world.processes) {
    add(
      phase.desired,
      phase.end,
      phase.done,
      phase.acting,
      phase.refused,
      own.stage,
      own.wished,
      own.settleFrom,
      own.bar,
    );
    add(own.attempts, own.renewals, own.retries, answered?.step, answered?.outcome);
    add(number(presence?.number ?? 0), presence?.until, mark?.end, number(mark?.number ?? 0));
    add(claim?.phase, number(claim?.presence ?? 0), number(claim?.number ?? 0), claim?.stage, claim?.sentAt);
    add(claim?.token, claim?.until);
  }
  for (const { presences, marks, hold, counter } of world.stores) {
    for (const each of [...presences, ...marks]) add(number(each.number), each.expires);
    add(presences.length, hold && number(hold.number), hold?.token, hold?.expires, counter);
  }
}
