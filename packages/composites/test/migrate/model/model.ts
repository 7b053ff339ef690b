import { initialPhase } from '../../../src/migrate/decisions.ts';
import type { Model } from '../../../../core/test/search/search.ts';
import { Actor, isOfLift, isOfPhase } from './actor.ts';
import type { Rules } from './owner.ts';
import { carriedTo, eventsOf, tell } from './events.ts';
import type { Event } from './events.ts';
import { hashWorld } from './hash-world.ts';
import { meet, takeBack } from './store.ts';
import { copyWorld } from './world.ts';
import type { Call, Faults, Process, Setting, World } from './world.ts';

/** Processes that migrate from one store to another, in all the states that they can reach. */
export function modelOf(setting: Setting, rules: Rules): Model<World, Event> {
  return {
    start: startOf(setting, rules),
    events: (world) => eventsOf(setting, world),
    apply: (world, event) => step(setting, rules, world, event),
    hash: hashWorld,
    problem: ({ problem }) => problem,
    unfinished: () => undefined,
    tell: (event, world) => tell(setting, world, event),
  };
}

function startOf(setting: Setting, rules: Rules): World {
  const { stores, processes, keys, faults } = setting;
  const world: World = {
    now: 0,
    processes: processes.map(({ attempts, renewals, retries, lifts }) => ({
      stage: 'up',
      migration: 0,
      phase: initialPhase('both'),
      presence: undefined,
      claim: undefined,
      calls: [],
      returns: [],
      wished: 1,
      attempts,
      renewals,
      retries,
      lifts,
      seen: [0, 0],
      lift: undefined,
    })),
    stores: stores.map(({ begins }) => ({
      holds: Array.from({ length: keys }, () => undefined),
      counters: Array.from({ length: keys + 1 }, () => begins),
      presences: [],
      marks: [],
    })),
    highest: Array.from({ length: keys }, () => 0),
    numbers: 0,
    faults,
    problem: undefined,
  };
  processes.forEach(({ wants: [first = 'both'] }, index) => new Actor(setting, rules, world, index).desire(first));
  return world;
}

/** The state after `event`. */
function step(setting: Setting, rules: Rules, before: World, { kind, process: index, item }: Event): World {
  const world = copyWorld(before);
  const process = world.processes[index]!;
  const actor = new Actor(setting, rules, world, index);
  const call = process.calls[item];
  switch (kind) {
    case 'desire':
      process.wished += 1;
      actor.desire(setting.processes[index]?.wants[process.wished - 1] ?? 'both');
      break;
    case 'begin':
      actor.claims.begin(item);
      break;
    case 'repeat':
    case 'release':
    case 'renew':
      actor.claims[kind]();
      break;
    case 'remain':
      process.renewals -= 1;
      actor.remain();
      break;
    case 'notice':
      actor.lost();
      break;
    case 'retry':
      process.retries -= 1;
      actor.machine.retry();
      break;
    case 'lift':
      actor.lift(item === 0 ? 'from' : 'to');
      break;
    case 'sleep':
      spend(world, 'sleeps');
      process.stage = 'asleep';
      break;
    case 'wake':
      process.stage = 'up';
      break;
    case 'leave':
      actor.withdraw('to');
      process.stage = 'plain';
      break;
    case 'move':
      move(process, actor);
      break;
    case 'crash':
      spend(world, 'crashes');
      crash(process);
      break;
    case 'answer':
    case 'meet':
    case 'hear':
    case 'lose':
      if (call !== undefined) message(setting, actor, kind, call);
      break;
    case 'take back':
      takeBack(world, process, process.returns[item]!);
      break;
    case 'end':
      letGo(setting, world, process);
      break;
    case 'tick':
      world.now += 1;
      spend(world, 'ticks');
      expire(world);
      break;
    default:
      kind satisfies never;
  }
  if (world.faults.delays === 0) {
    for (const each of world.processes) for (const returned of [...each.returns]) takeBack(world, each, returned);
  }
  checkHolders(world);
  return world;
}

function message(setting: Setting, actor: Actor, kind: 'answer' | 'meet' | 'hear' | 'lose', call: Call): void {
  const { world, self } = actor;
  if (kind === 'meet' && !call.orphan && self.stage !== 'asleep') spend(world, 'delays');
  if (kind === 'answer' || kind === 'meet') meet(setting, world, self, call);
  if (kind === 'answer' || kind === 'hear') {
    self.calls.splice(self.calls.indexOf(call), 1);
    if (isOfPhase(call)) actor.heard(call);
    else if (isOfLift(call)) actor.lifted(call);
    else actor.claims.heard(call, call.answer);
  }
  if (kind === 'lose') {
    spend(world, 'losses');
    call.orphan = true;
    if (isOfPhase(call)) actor.unanswered(call);
    else if (isOfLift(call)) actor.lifted({ ...call, answer: undefined });
    else actor.claims.heard(call, 'unknown');
  }
}

function spend(world: World, fault: keyof Faults): void {
  world.faults = { ...world.faults, [fault]: world.faults[fault] - 1 };
}

/** The process is started anew, with the next migration. */
function move(process: Process, actor: Actor): void {
  const { end } = process.phase;
  if (end !== undefined) actor.withdraw(end);
  process.migration += 1;
  Object.assign(process.phase, initialPhase('both'));
  actor.desire('from');
}

function crash(process: Process): void {
  process.stage = 'crashed';
  process.claim = undefined;
  process.presence = undefined;
  process.lift = undefined;
  process.calls = process.calls.flatMap((call) => (call.answer === undefined ? [{ ...call, orphan: true }] : []));
}

/** As a session that ends, or a release by force. */
function letGo(setting: Setting, world: World, process: Process): void {
  spend(world, 'ends');
  const ended = carriedTo(setting, world, process);
  for (const store of world.stores) store.holds = store.holds.map((hold) => (hold === ended ? undefined : hold));
}

/** Stores let go of what is over. What they have forgotten makes no two states differ. */
function expire({ now, stores }: World): void {
  for (const store of stores) {
    store.presences = store.presences.filter(({ expires }) => expires > now);
    store.holds = store.holds.map((hold) => (hold !== undefined && hold.expires <= now ? undefined : hold));
  }
}

function checkHolders(world: World): void {
  const holders = new Map<number, string>();
  world.processes.forEach(({ claim }, index) => {
    if (claim === undefined || world.now >= claim.until) return;
    const other = holders.get(claim.key);
    if (other !== undefined) world.problem ??= `${other} and P${index + 1} hold key ${claim.key} at once`;
    holders.set(claim.key, `P${index + 1}`);
  });
}
