import { isOfLift } from './actor.ts';
import type { StateHash } from '../../../../core/test/search/state-table.ts';
import type { Call, Claim, Process, Store, World } from './world.ts';

/** Words of the states, as numbers. `undefined` is 0. */
const codes = new Map<unknown, number>();

function code(word: unknown): number {
  if (word === undefined) return 0;
  if (typeof word === 'number') return word + 2;
  let known = codes.get(word);
  if (known === undefined) {
    known = -codes.size - 1;
    codes.set(word, known);
  }
  return known;
}

/**
 * Adds all of a state to a hash. States are the same where other numbers make the same owners:
 * numbers count in the order in which they are met here.
 */
export function hashWorld(world: World, hash: StateHash): void {
  const numbers = new Map<number, number>([[0, 0]]);
  const add = (...words: readonly unknown[]): void => {
    for (const word of words) hash.add(code(word));
  };
  const number = (value: number): number => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  };
  add(
    world.now,
    world.faults.ticks,
    world.faults.crashes,
    world.faults.losses,
    world.faults.delays,
    world.faults.sleeps,
    world.problem,
    ...world.highest,
  );
  for (const process of world.processes) addProcess(process, add, number);
  for (const store of world.stores) addStore(store, add, number);
}

type Add = (...words: readonly unknown[]) => void;
type NumberOf = (value: number) => number;

function addProcess(
  { stage, migration, phase, presence, claim, calls, returns, ...left }: Process,
  add: Add,
  number: NumberOf,
): void {
  add(stage, migration, left.wished, left.attempts, left.renewals, left.retries, left.lifts);
  add(number(left.seen[0]), number(left.seen[1]), left.lift?.end, left.lift?.done);
  add(
    phase.desired,
    phase.end,
    phase.done,
    phase.underWay,
    phase.acting,
    phase.refused,
    phase.epoch,
    Number(phase.floor),
  );
  add(presence === undefined ? undefined : number(presence.number), presence?.until);
  if (claim === undefined) add('none');
  else addClaim(claim, add, number);
  add(calls.length);
  for (const call of calls) addCall(call, add, number);
  add(returns.length);
  for (const returned of returns) add(returned.store, number(returned.number));
}

function addClaim(
  { key, numbers, scope, stage, clean, token, sent, askedAt, phase, until, toldUntil, end, step }: Claim,
  add: Add,
  number: NumberOf,
): void {
  add(key, number(numbers[0]), number(numbers[1]), scope.phase, scope.epoch, Number(scope.floor ?? 0n));
  add(stage, clean, token, phase, until, toldUntil, end, step);
  // Of no use to a claim that asks nothing.
  if (stage !== 'held' && stage !== 'waiting') add(...sent, askedAt);
}

function addCall(
  { kind, store, about, answer, orphan, sentAt, token, ...call }: Call,
  add: Add,
  number: NumberOf,
): void {
  add(kind, store, number(call.number), token, orphan);
  if (
    kind !== 'look' &&
    !isOfLift({ kind }) &&
    kind !== 'check' &&
    kind !== 'mark' &&
    kind !== 'probe other' &&
    kind !== 'probe own' &&
    !orphan
  )
    add(sentAt);
  if (typeof about === 'object') add(about.migration, about.end);
  else add(about);
  const isMark = kind === 'check' || kind === 'read mark';
  if (typeof answer === 'object') add(isMark ? number(answer.token) : answer.token);
  else add(answer);
}

function addStore({ holds, counters, presences, marks }: Store, add: Add, number: NumberOf): void {
  add(...counters);
  for (const hold of holds) {
    if (hold === undefined) add('free');
    else add(number(hold.number), hold.token, hold.expires);
  }
  add(presences.length);
  for (const presence of presences) add(presence.migration, presence.end, number(presence.number), presence.expires);
  add(marks.length);
  for (const mark of marks) add(mark.migration, mark.end, number(mark.number));
}
