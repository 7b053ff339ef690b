import { initialPhase } from '../../../src/migrate/decisions.ts';
import type { Outcome, PhaseStep } from '../../../src/migrate/decisions.ts';
import { ends, oppositeOf } from '../../../src/migrate/phase.ts';
import type { End, Phase } from '../../../src/migrate/phase.ts';
import type { Model } from '../../../../core/test/search/search.ts';
import type { StateHash } from '../../../../core/test/search/state-table.ts';
import type { Rules } from '../../flaws/weaker-migrations.ts';
import { copyWorld } from './world.ts';
import type { Process, Setting, Store, World } from './world.ts';

/** One thing that may happen next. `process`: or a store, of `empty`. */
export interface Event {
  readonly kind: string;
  readonly process: number;
}

/** A claim, and an answer about a phase, take effect at a store at once, and are heard later. */
export function modelOf(setting: Setting, rules: Rules): Model<World, Event> {
  const storeOf = (world: World, end: End): Store => world.stores[ends.indexOf(end)] as Store;

  const scopeOf = ({ phase, presence }: Process, now: number): Phase =>
    phase.acting && phase.end !== undefined && presence !== undefined && now < presence.until ? phase.end : 'both';

  const inUse = ({ claim, phase }: Process, now: number): boolean =>
    claim !== undefined && claim.phase === phase.end && (claim.stage !== 'held' || now < claim.until);

  const clockOf = (world: World, index: number): number =>
    world.now * setting.perTick + (index === 0 ? setting.ahead : 0);

  function mint(world: World, index: number): number {
    const store = world.stores[index] as Store;
    store.counter = Math.max(store.counter + 1, clockOf(world, index));
    return store.counter;
  }

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
    if (outcome !== undefined) process.answered = { step, outcome, sentAt: world.now };
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

  /** The claim asks its store, or the next one of two. */
  function ask(world: World, process: Process): void {
    const { now } = world;
    const scope = scopeOf(process, now);
    const { presence } = process;
    if (process.claim === undefined) {
      process.attempts -= 1;
      world.numbers += 1;
      const number = world.numbers;
      process.claim = {
        ...{ phase: scope, presence: presence?.number ?? 0, number, stage: 'asking', sentAt: now, token: 0, until: 0 },
      };
    }
    const { claim } = process;
    const index = claim.phase === 'to' || claim.stage === 'second' ? 1 : 0;
    const store = world.stores[index] as Store;
    if (store.hold !== undefined) {
      release(world, process);
      return;
    }
    const token = Math.max(mint(world, index), claim.token);
    store.hold = { number: claim.number, expires: now + setting.ttl, token };
    claim.token = token;
    claim.stage = claim.phase === 'both' && index === 0 ? 'second' : 'granted';
    if (claim.stage === 'granted')
      for (const each of world.stores)
        if (each.hold?.number === claim.number) each.counter = Math.max(each.counter, token);
  }

  function presentUntil({ claim, presence }: Process): number | undefined {
    if (claim === undefined || claim.phase === 'both') return undefined;
    return presence !== undefined && presence.number === claim.presence ? presence.until : 0;
  }

  function hold(world: World, process: Process): void {
    const claim = process.claim as NonNullable<Process['claim']>;
    claim.stage = 'held';
    claim.until = rules.heldUntil(claim.sentAt + setting.ttl, presentUntil(process));
    if (claim.until <= world.now) {
      release(world, process);
      return;
    }
    if (setting.losses === 0 && setting.ahead > 0 && claim.token <= world.highest)
      world.problem ??= `token ${claim.token} is granted after ${world.highest}`;
    world.highest = Math.max(world.highest, claim.token);
  }

  function renew(world: World, process: Process): void {
    const claim = process.claim as NonNullable<Process['claim']>;
    process.renewals -= 1;
    const own = world.stores.filter(({ hold: held }) => held?.number === claim.number);
    if (own.length < (claim.phase === 'both' ? 2 : 1)) {
      release(world, process);
      return;
    }
    for (const { hold: held } of own) if (held !== undefined) held.expires = world.now + setting.ttl;
    const now = scopeOf(process, world.now);
    if (claim.phase === 'both' && now !== 'both') {
      // It goes on in one store, no longer than the presence.
      const other = storeOf(world, oppositeOf(now));
      other.hold = undefined;
      process.claim = { ...claim, phase: now, presence: process.presence?.number ?? 0 };
    }
    const lease = process.claim as NonNullable<Process['claim']>;
    lease.until = rules.heldUntil(world.now + setting.ttl, presentUntil(process));
  }

  function release(world: World, process: Process): void {
    for (const store of world.stores) if (store.hold?.number === process.claim?.number) store.hold = undefined;
    process.claim = undefined;
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
function hashWorld(world: World, hash: StateHash): void {
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
