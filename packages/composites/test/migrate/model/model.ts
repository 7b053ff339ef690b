import { initialPhase } from '../../../src/migrate/decisions.ts';
import type { Outcome, PhaseStep } from '../../../src/migrate/decisions.ts';
import { ends, oppositeOf } from '../../../src/migrate/phase.ts';
import type { End } from '../../../src/migrate/phase.ts';
import type { Model } from '../../../../core/test/search/search.ts';
import type { StateHash } from '../../../../core/test/search/state-table.ts';
import type { Rules } from '../../flaws/weaker-migrations.ts';
import { claimsOf } from './claims.ts';
import { copyWorld } from './world.ts';
import type { Process, Setting, World } from './world.ts';

/** One thing that may happen next. `process`: or a store, of `empty`. */
export interface Event {
  readonly kind: string;
  readonly process: number;
}

/** A claim, and an answer about a phase, take effect at a store at once, and are heard later. */
export function modelOf(setting: Setting, rules: Rules): Model<World, Event> {
  const { storeOf, scopeOf, clockOf, ask, hold, renew, release } = claimsOf(setting, rules);

  const inUse = ({ claim, phase }: Process, now: number): boolean =>
    claim !== undefined && claim.phase === phase.end && (claim.stage !== 'held' || now < claim.until);

  /** What `step` finds. `undefined`: it takes longer. */
  function outcomeOf(world: World, process: Process, step: PhaseStep): Outcome | undefined {
    const { now } = world;
    const end = process.phase.end as End;
    const [own, other] = [storeOf(world, end), storeOf(world, oppositeOf(end))];
    const others = other.presences.length + other.marks.length;
    switch (step) {
      case 'announce': {
        world.numbers += 1;
        own.presences.push({ number: world.numbers, expires: now + setting.presenceTtl });
        process.presence = { number: world.numbers, until: now + setting.presenceTtl };
        process.bar = undefined;
        return 'passed';
      }
      case 'look':
        if (others > 0 && setting.flaw !== 'blind') return 'refused';
        return own.marks.some(({ number }) => number !== process.mark?.number) ? 'taken' : 'passed';
      case 'settle':
        if (process.settleFrom < 0) process.settleFrom = now;
        return now >= process.settleFrom + setting.settle ? 'passed' : undefined;
      case 'look again':
        return others > 0 && setting.flaw !== 'blind' ? 'refused' : 'passed';
      case 'compare':
        if (setting.flaw === 'low') return 'passed';
        // Tokens that both stores gave are no higher than the higher clock, and its grants.
        process.bar ??= clockOf(world, ends.indexOf(oppositeOf(end))) + setting.perTick / 4;
        return clockOf(world, ends.indexOf(end)) > process.bar || setting.ahead === 0 ? 'passed' : undefined;
      default:
        return 'passed';
    }
  }

  function take(world: World, process: Process): void {
    const step = rules.nextStep(process.phase, inUse(process, world.now));
    rules.begin(process.phase, step);
    if (step === 'withdraw' && process.phase.end !== undefined) {
      const store = storeOf(world, process.phase.end);
      store.presences = store.presences.filter(({ number }) => number !== process.presence?.number);
      process.presence = undefined;
    }
    const outcome = outcomeOf(world, process, step);
    if (outcome !== undefined) process.answered = { step, outcome };
  }

  function hear(process: Process): void {
    const { step, outcome } = process.answered as NonNullable<Process['answered']>;
    process.answered = undefined;
    process.settleFrom = -1;
    rules.advance(process.phase, step, outcome);
  }

  function lose(process: Process): void {
    process.presence = undefined;
    process.answered = undefined;
    process.settleFrom = -1;
    rules.lost(process.phase);
    if (process.claim !== undefined && process.claim.phase !== 'both') process.claim = undefined;
  }

  function unmark(world: World, process: Process): void {
    const { mark } = process;
    if (mark === undefined) return;
    const store = storeOf(world, mark.end);
    store.marks = store.marks.filter(({ number }) => number !== mark.number);
    process.mark = undefined;
  }

  function leaveMark(world: World, process: Process): void {
    const end = process.phase.end as End;
    world.numbers += 1;
    process.mark = { end, number: world.numbers };
    storeOf(world, end).marks.push({ number: world.numbers, expires: world.now + setting.presenceTtl });
  }

  function remain(world: World, process: Process): void {
    process.renewals -= 1;
    const { presence, phase } = process;
    const known = storeOf(world, phase.end as End).presences.find(({ number }) => number === presence?.number);
    if (known === undefined || presence === undefined) {
      lose(process);
      return;
    }
    known.expires = world.now + setting.presenceTtl;
    presence.until = world.now + setting.presenceTtl;
  }

  function tick(world: World): void {
    world.ticks -= 1;
    world.now += 1;
    for (const store of world.stores) {
      store.presences = store.presences.filter(({ expires }) => expires > world.now);
      store.marks = store.marks.filter(({ expires }) => expires > world.now);
      if (store.hold !== undefined && store.hold.expires <= world.now) store.hold = undefined;
    }
  }

  /** It ends without a word, or does. What it has in the stores expires. */
  function crash(world: World, process: Process): void {
    world.crashes -= 1;
    Object.assign(process, { stage: 'crashed', claim: undefined, presence: undefined, answered: undefined });
    Object.assign(process.phase, initialPhase('both'));
  }

  type Act = (world: World, process: Process) => void;
  const acts: Readonly<Record<string, Act>> = {
    wants(_, process) {
      process.phase.desired = setting.wishes[process.index]?.[process.wished] ?? 'both';
      process.phase.refused = false;
      process.wished += 1;
    },
    takes: take,
    hears: (_, process) => hear(process),
    remains: remain,
    notices: (_, process) => lose(process),
    retries(_, process) {
      process.retries -= 1;
      process.phase.refused = false;
    },
    marks: leaveMark,
    unmarks: unmark,
    asks: ask,
    holds: hold,
    renews: renew,
    releases: release,
    crashes: crash,
    sleeps(world, process) {
      world.sleeps -= 1;
      process.stage = 'asleep';
    },
    wakes: (_, process) => (process.stage = 'up'),
  };

  function ownEvents(world: World, process: Process): readonly string[] {
    const { stage, phase, presence, answered, claim } = process;
    if (stage === 'asleep') return ['wakes'];
    if (stage === 'crashed') return [];
    const kinds: string[] = [];
    const add = (kind: string, may: boolean): void => void (may && kinds.push(kind));
    const { now } = world;
    const present = presence !== undefined && now < presence.until;
    add('wants', process.wished < (setting.wishes[process.index]?.length ?? 0));
    add('hears', answered !== undefined);
    add(
      'takes',
      answered === undefined && rules.nextStep(phase, inUse(process, now)) !== 'wait' && mayTake(world, process),
    );
    add('remains', present && phase.end !== undefined && process.renewals > 0);
    add('notices', presence !== undefined && !present);
    add('retries', phase.refused && phase.end === undefined && process.retries > 0);
    add('marks', phase.acting && present && process.mark === undefined && setting.settle > 0);
    add('unmarks', process.mark !== undefined && process.mark.end !== phase.end);
    add('asks', claim === undefined ? process.attempts > 0 : claim.stage === 'second');
    add('holds', claim?.stage === 'granted');
    add('renews', claim?.stage === 'held' && now < claim.until && process.renewals > 0);
    add('releases', claim?.stage === 'held');
    add('crashes', world.crashes > 0);
    add('sleeps', world.sleeps > 0);
    return kinds;
  }

  /** A pause that is not over, and tokens that are behind, need a tick. */
  function mayTake(world: World, process: Process): boolean {
    const step = rules.nextStep(process.phase, inUse(process, world.now));
    if (step === 'settle') return process.settleFrom < 0 || world.now >= process.settleFrom + setting.settle;
    if (step !== 'compare' || process.bar === undefined) return true;
    return clockOf(world, ends.indexOf(process.phase.end as End)) > process.bar;
  }

  function check(world: World): void {
    const acting = new Set(world.processes.map((each) => scopeOf(each, world.now)));
    if (acting.has('from') && acting.has('to')) world.problem ??= 'two act under the two ends';
    const holders = world.processes.filter(({ claim }) => claim?.stage === 'held' && world.now < claim.until);
    if (holders.length > 1 && setting.losses === 0) world.problem ??= 'two hold the key';
  }

  return {
    start: {
      ...{ now: 0, numbers: 0, highest: 0, problem: undefined },
      ...{ ticks: setting.ticks, losses: setting.losses, crashes: setting.crashes, sleeps: setting.sleeps },
      processes: setting.wishes.map(([first = 'both'], index) => ({
        ...{ index, phase: initialPhase(first), wished: 1, settleFrom: -1, stage: 'up' as const },
        ...{ presence: undefined, answered: undefined, mark: undefined, bar: undefined, claim: undefined },
        ...{ attempts: setting.attempts, renewals: setting.renewals, retries: setting.retries },
      })),
      stores: ends.map(() => ({ presences: [], marks: [], hold: undefined, counter: 0 })),
    },
    events(world) {
      if (world.problem !== undefined) return [];
      const own = world.processes.flatMap((each) =>
        ownEvents(world, each).map((kind) => ({ kind, process: each.index })),
      );
      const empties = world.losses > 0 ? [0, 1].map((process) => ({ kind: 'empty', process })) : [];
      return [...own, ...empties, ...(world.ticks > 0 ? [{ kind: 'tick', process: 0 }] : [])];
    },
    apply(before, { kind, process }) {
      const world = copyWorld(before);
      if (kind === 'tick') tick(world);
      else if (kind === 'empty') {
        world.losses -= 1;
        world.stores[process] = { presences: [], marks: [], hold: undefined, counter: 0 };
      } else acts[kind]?.(world, world.processes[process] as Process);
      check(world);
      return world;
    },
    hash: hashWorld,
    problem: ({ problem }) => problem,
    unfinished: () => undefined,
    tell: ({ kind, process }) =>
      kind === 'tick' ? kind : kind === 'empty' ? `s${process} is emptied` : `P${process + 1} ${kind}`,
  };
}

/** Two states that differ in numbers of claims alone are one. */
function hashWorld({ processes, stores, ...world }: World, hash: StateHash): void {
  const ranks = new Map([[0, 0]]);
  const named = <T extends { readonly number: number }>(one: T | undefined): unknown =>
    one && { ...one, number: rankOf(one.number) };
  const rankOf = (number: number): number => {
    const known = ranks.get(number) ?? ranks.size;
    ranks.set(number, known);
    return known;
  };
  hash.plain({ ...world, numbers: 0 });
  for (const { presence, mark, claim, ...own } of processes)
    hash.plain([
      own,
      named(presence),
      named(mark),
      claim && rankOf(claim.presence),
      named(claim && { ...claim, presence: 0 }),
    ]);
  for (const { presences, marks, hold, counter } of stores)
    hash.plain([presences.map(named), marks.map(named), named(hold), counter]);
}
