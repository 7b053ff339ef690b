import type { StateHash } from '../../../search/state-table.ts';
import type { Model } from '../../../search/search.ts';
import { Server } from './server.ts';
import { copyWorld } from './world.ts';
import type { Call, Faults, Process, Rules, Setting, World } from './world.ts';

/** The holder at the start: it only releases. */
const opener = -1;

type Kind =
  | 'free'
  | 'look'
  | 'renew'
  | 'release'
  | 'abort'
  | 'crash'
  | 'meet'
  | 'hear'
  | 'lose'
  | 'deliver'
  | 'drop'
  | 'restart'
  | 'tick';

/** `item`: which of the calls, or of the messages. */
export interface Event {
  readonly kind: Kind;
  readonly process: number;
  readonly item: number;
}

/** Processes that wait for one key in a fair queue, in all the states that they can reach. */
export function modelOf(setting: Setting, rules: Rules): Model<World, Event> {
  return {
    start: startOf(setting),
    events: (world) => eventsOf(setting, world),
    apply: (world, event) => step(setting, rules, world, event),
    hash: hashWorld,
    problem: ({ problem }) => problem,
    unfinished: () => undefined,
    tell: ({ kind, process, item }, { processes, messages }) => {
      const call = processes[process]?.calls[item];
      if (kind === 'deliver' || kind === 'drop') {
        const message = messages[item];
        const what = message?.grant === undefined ? 'wake' : `grant ${message.grant.token}`;
        return `${kind} P${(message?.to ?? 0) + 1} ${what}`;
      }
      const about =
        call !== undefined && (kind === 'meet' || kind === 'hear' || kind === 'lose') ? ` ${call.kind}` : '';
      return kind === 'tick' || kind === 'restart' || kind === 'free' ? kind : `P${process + 1} ${kind}${about}`;
    },
  };
}

function startOf({ assignable, looks, renewals, faults }: Setting): World {
  return {
    now: 0,
    processes: assignable.map(() => ({
      stage: 'idle',
      calls: [],
      assigned: undefined,
      woken: false,
      lookedAt: 0,
      busySince: 0,
      until: 0,
      looks,
      renewals,
    })),
    hold: { process: opener, token: 0, expires: Infinity },
    queue: [],
    counter: 0,
    guardedUntil: 0,
    messages: [],
    highest: 0,
    unused: 0,
    faults,
    problem: undefined,
  };
}

const isAsking = ({ calls }: Process): boolean => calls.some(({ kind, orphan }) => kind === 'ask' && !orphan);

function eventsOf(setting: Setting, world: World): readonly Event[] {
  const { faults, processes, messages, now } = world;
  const events: Event[] = [];
  const add = (kind: Kind, process = 0, item = 0): void => void events.push({ kind, process, item });
  let mayTick = faults.ticks > 0;
  processes.forEach((process, index) => {
    const { stage, calls, woken, looks } = process;
    const alive = stage !== 'crashed';
    if (stage === 'idle') add('look', index);
    if (stage === 'waiting') {
      const due = setting.prompt && now >= process.lookedAt + setting.lookEvery;
      if (!isAsking(process) && (woken || due || (!setting.prompt && looks > 0))) add('look', index);
      if (setting.prompt && (woken || due)) mayTick = false;
      add('abort', index);
    }
    if (stage === 'held' && now < process.until) {
      if (process.renewals > 0 && calls.length === 0) add('renew', index);
      add('release', index);
    }
    const mayCrash = setting.deadHeads
      ? stage === 'waiting' && calls.length === 0
      : alive && stage !== 'idle' && stage !== 'over';
    if (mayCrash && faults.crashes > 0) add('crash', index);
    if (setting.prompt && calls.length > 0) mayTick = false;
    // One connection keeps the order. A call that was given up may arrive at any time.
    const first = calls.findIndex(({ orphan, answer }) => !orphan && answer === undefined);
    calls.forEach((call, item) => {
      if (call.answer === undefined && (call.orphan || item === first)) add('meet', index, item);
      if (call.answer !== undefined) add('hear', index, item);
      if (!call.orphan && call.answer === undefined && faults.losses > 0) add('lose', index, item);
    });
  });
  messages.forEach((_, item) => {
    add('deliver', 0, item);
    if (faults.drops > 0) add('drop', 0, item);
  });
  if (setting.prompt && messages.length > 0) mayTick = false;
  if (world.hold?.process === opener) add('free');
  if (faults.restarts > 0) add('restart');
  if (mayTick) add('tick');
  return events;
}

function step(setting: Setting, rules: Rules, before: World, { kind, process: index, item }: Event): World {
  const world = copyWorld(before);
  const process = world.processes[index]!;
  const server = new Server(setting, rules, world);
  const call = process.calls[item];
  switch (kind) {
    case 'look':
      if (process.stage === 'waiting' && !process.woken && !setting.prompt) process.looks -= 1;
      look(setting, rules, world, process);
      break;
    case 'renew':
      process.renewals -= 1;
      send(world, process, 'renew');
      break;
    case 'release':
    case 'abort':
      process.stage = 'over';
      send(world, process, 'release');
      break;
    case 'crash':
      spend(world, 'crashes');
      process.stage = 'crashed';
      process.calls = process.calls.flatMap((each) => (each.answer === undefined ? [{ ...each, orphan: true }] : []));
      world.messages = world.messages.filter(({ to }) => to !== index);
      break;
    case 'meet':
      call!.answer = server.meet(index, call!);
      if (call!.kind === 'release' && world.hold?.process === index) {
        world.problem ??= `P${index + 1} holds the key after its release`;
      }
      if (call!.orphan) process.calls.splice(item, 1);
      break;
    case 'hear':
      process.calls.splice(item, 1);
      hear(setting, rules, world, process, call!);
      break;
    case 'lose':
      spend(world, 'losses');
      call!.orphan = true;
      if (call!.kind === 'ask') process.woken = true;
      break;
    case 'deliver':
    case 'drop': {
      const [message] = world.messages.splice(item, 1);
      if (kind === 'drop') spend(world, 'drops');
      else deliver(world, message!);
      break;
    }
    case 'free':
      server.free();
      break;
    case 'restart':
      spend(world, 'restarts');
      server.restart();
      break;
    case 'tick':
      spend(world, 'ticks');
      world.now += 1;
      server.expire();
      break;
    default:
      kind satisfies never;
  }
  forget(world);
  check(setting, world, kind);
  return world;
}

function look(setting: Setting, rules: Rules, world: World, process: Process): void {
  const { assigned } = process;
  process.stage = 'waiting';
  process.woken = false;
  process.assigned = undefined;
  if (setting.prompt) process.lookedAt = world.now;
  const left = assigned === undefined ? undefined : rules.lastsFor(assigned, world, process, setting.ttl);
  if (left === undefined) send(world, process, 'ask');
  else take(world, process, Number(assigned?.token), world.now + left);
}

function send(world: World, process: Process, kind: Call['kind']): void {
  process.calls.push({ kind, sentAt: world.now, answer: undefined, orphan: false });
}

function take(world: World, process: Process, token: number, until: number): void {
  if (world.now >= until) {
    process.stage = 'over';
    send(world, process, 'release');
    return;
  }
  process.stage = 'held';
  process.until = until;
  const name = `P${world.processes.indexOf(process) + 1}`;
  if (token <= world.highest) world.problem ??= `token ${token} is granted to ${name} after ${world.highest}`;
  world.highest = Math.max(world.highest, token);
}

function hear(
  { ttl }: Setting,
  { countsFromBusy }: Rules,
  world: World,
  process: Process,
  { kind, sentAt, answer }: Call,
): void {
  if (kind === 'ask' && process.stage === 'waiting') {
    if (typeof answer === 'number') take(world, process, answer, sentAt + ttl);
    else if (countsFromBusy) process.busySince = sentAt;
  }
  if (kind === 'renew' && process.stage === 'held') {
    if (answer === 'yes' && world.now < process.until) process.until = sentAt + ttl;
    else process.stage = 'over';
  }
}

function deliver(world: World, { to, grant }: World['messages'][number]): void {
  const process = world.processes[to]!;
  if (process.stage !== 'waiting') return;
  process.woken = true;
  if (grant !== undefined) process.assigned = grant;
}

/** What no process hears any more makes no two states differ. */
function forget(world: World): void {
  for (const process of world.processes) {
    const { stage, calls } = process;
    if (stage === 'waiting' || stage === 'idle') continue;
    process.woken = false;
    process.assigned = undefined;
    process.busySince = 0;
    if (stage === 'held') continue;
    process.looks = 0;
    process.renewals = 0;
    process.calls = calls.filter(({ answer }) => answer === undefined);
  }
  world.messages = world.messages.filter(({ to }) => world.processes[to]?.stage === 'waiting');
}

function spend(world: World, fault: keyof Faults): void {
  world.faults = { ...world.faults, [fault]: world.faults[fault] - 1 };
}

function check({ mostUnused }: Setting, world: World, kind: Kind): void {
  const holders = world.processes.flatMap(({ stage, until }, index) =>
    stage === 'held' && world.now < until ? [`P${index + 1}`] : [],
  );
  if (holders.length > 1) world.problem ??= `${holders.join(' and ')} hold the key at once`;
  const held = holders.length > 0 || world.hold?.process === opener;
  const waits = world.processes.some(({ stage }) => stage === 'waiting');
  if (held || !waits) world.unused = 0;
  else if (kind === 'tick') world.unused += 1;
  if (world.unused > mostUnused) world.problem ??= `the key is unused for ${world.unused} ticks`;
}

const codes = new Map<unknown, number>();

function code(word: unknown): number {
  if (word === undefined) return 0;
  if (typeof word === 'number') return word === Infinity ? 1 : Math.round(word * 8) + 2;
  if (typeof word === 'bigint') return Number(word) * 8 + 2;
  let known = codes.get(word);
  if (known === undefined) codes.set(word, (known = -codes.size - 1));
  return known;
}

function hashWorld(world: World, hash: StateHash): void {
  const add = (...words: readonly unknown[]): void => {
    for (const word of words) hash.add(code(word));
  };
  const { hold, queue, messages, faults } = world;
  add(world.now, world.counter, world.guardedUntil, world.highest, world.unused, world.problem);
  add(faults.ticks, faults.crashes, faults.losses, faults.drops, faults.restarts);
  add(hold?.process, hold?.token, hold?.expires, queue.length, messages.length);
  for (const { process, deadline, sentAt } of queue) add(process, deadline, sentAt);
  for (const { to, grant } of messages) add(to, grant?.token, grant?.sentAt);
  for (const process of world.processes) {
    const { stage, calls, assigned, woken, lookedAt, busySince, until, looks, renewals } = process;
    add(stage, calls.length, assigned?.token, assigned?.sentAt, woken, looks, renewals);
    add(stage === 'waiting' ? lookedAt : 0, busySince, stage === 'held' ? until : 0);
    for (const { kind, sentAt, answer, orphan } of calls) add(kind, sentAt, answer, orphan);
  }
}
