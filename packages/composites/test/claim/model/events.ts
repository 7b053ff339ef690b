import { name } from './draft.ts';
import { storeOf, wayOf } from './setting.ts';
import { noFaults } from './world.ts';
import type { Setting, Way } from './setting.ts';
import type { Call, Contender, Faults, Return, World } from './world.ts';

/**
 * One thing that may happen next. `item`: of the contender's calls, returns or wakes, a member, a
 * store, or a floor.
 */
export interface Event {
  readonly kind: EventKind;
  readonly contender: number;
  readonly item: number;
}

type EventKind =
  // Core.
  | 'start'
  | 'repeat'
  | 'renew'
  | 'release'
  | 'forsake'
  | 'promise over'
  | 'leave'
  | 'limit'
  | 'resume'
  | 'look'
  // Messages.
  | 'meet'
  | 'copy'
  | 'hear'
  | 'silence'
  | 'reject'
  | 'take back'
  | 'returned'
  | 'wake'
  // The world.
  | 'crash'
  | 'lapse'
  | 'flip'
  | 'amnesia'
  | 'tick';

/** All that may happen in `world`. */
export function eventsOf(setting: Setting, world: World): readonly Event[] {
  const events: Event[] = [];
  if (world.problem !== undefined) return events;
  world.contenders.forEach((each, contender) => {
    const add = (kind: EventKind, item = 0): void => {
      events.push({ kind, contender, item });
    };
    const { faultyContender = contender } = setting;
    const faults = faultyContender === contender ? world.faults : noFaults;
    if (each.stage !== 'crashed') addCore(each, setting, world.now, faults, add);
    each.calls.forEach((call, item) => addCall(call, wayOf(setting, contender, call), faults, item, add));
    each.returns.forEach((one, item) => addReturn(one, wayOf(setting, contender, one), faults, item, add));
    if (each.stage === 'crashed') addLapses(world, contender, add);
  });
  const { faults, stores } = world;
  if (faults.ticks > 0) events.push({ kind: 'tick', contender: 0, item: 0 });
  if (faults.amnesias > 0) {
    stores.forEach((_, item) => {
      const { faultyStore = item } = setting;
      if (faultyStore === item) events.push({ kind: 'amnesia', contender: 0, item });
    });
  }
  return events;
}

type Add = (kind: EventKind, item?: number) => void;

function addCore(each: Contender, setting: Setting, now: number, faults: Faults, add: Add): void {
  const { stage, machine, lease } = each;
  switch (stage) {
    case 'new':
      if (each.leases > 0) addAttempts('start', setting, add);
      break;
    case 'waiting':
      if (each.woken || (each.polls && each.repeats > 0)) addAttempts('repeat', setting, add);
      if (!setting.waits || faults.departures > 0) add('leave');
      break;
    case 'held':
      add('release');
      if (each.renewals > 0 && machine.stage === 'held' && lease !== undefined && now < lease.until) add('renew');
      break;
    case 'lost':
      add('forsake');
      break;
    case 'forsaken':
      if (machine.promisedUntil <= now) add('promise over');
      break;
    default:
  }
  if (machine.stage === 'pausing') add('resume');
  // One that sees no holder changes nothing.
  if (each.looks) for (const seen of faults.looks > 0 ? [0, 1] : [0]) add('look', seen);
  if (machine.patient && isBusy(machine.stage) && each.calls.some(({ silent }) => silent)) add('limit');
  each.wakes.forEach((_, item) => add('wake', item));
  if (faults.crashes > 0 && stage !== 'new' && stage !== 'done') add('crash');
  if (faults.flips > 0 && stage !== 'done') machine.parts.forEach((_, member) => add('flip', member));
}

/** One attempt for each floor that it may have. */
function addAttempts(kind: EventKind, { floors }: Setting, add: Add): void {
  for (let item = 0; item < Math.max(1, floors.length); item += 1) add(kind, item);
}

function isBusy(stage: string): boolean {
  return stage === 'asking' || stage === 'confirming' || stage === 'renewing';
}

function addCall(call: Call, way: Way, faults: Faults, item: number, add: Add): void {
  const silent = way === 'silent';
  const reached = way === 'late' || way === 'prompt';
  if (call.answer === undefined && reached) {
    add('meet', item);
    if (faults.copies > 0 && !call.orphan) add('copy', item);
  }
  if (call.answer !== undefined) add('hear', item);
  if (call.orphan) return;
  if (!call.silent && (silent || (reached && faults.silences > 0))) add('silence', item);
  if (silent ? call.silent : reached && faults.rejections > 0) add('reject', item);
}

function addReturn(returned: Return, way: Way, faults: Faults, item: number, add: Add): void {
  const silent = way === 'silent';
  const reached = way === 'late' || way === 'prompt';
  const late = returned.awaited && (silent || (reached && faults.silences > 0));
  if (returned.stage === 'answered' || late) add('returned', item);
  if (returned.stage === 'sent' && reached) add('take back', item);
}

function addLapses({ stores }: World, contender: number, add: Add): void {
  stores.forEach(({ hold, queue }, store) => {
    if (hold?.contender === contender || queue.some((place) => place.contender === contender)) add('lapse', store);
  });
}

/** The event, for people. */
export function tell(setting: Setting, { contenders }: World, { kind, contender, item }: Event): string {
  const who = name(contender);
  const each = contenders[contender] as Contender;
  const at = (member: number): string => `n${storeOf(setting, contender, member) + 1}`;
  switch (kind) {
    case 'meet':
    case 'copy':
    case 'hear':
    case 'silence':
    case 'reject': {
      const call = each.calls[item] as Call;
      const asked = `${call.kind} ${who}~${call.number}${call.token === undefined ? '' : ` token ${call.token}`}`;
      const { answer } = call;
      const told = answer === undefined ? '' : `: ${answer.kind}${answer.kind === 'granted' ? ` ${answer.token}` : ''}`;
      return `${kind} ${asked} at ${at(call.member)}${told}`;
    }
    case 'take back':
    case 'returned': {
      const { member, number } = each.returns[item] as Return;
      return `${kind} ${who}~${number} at ${at(member)}`;
    }
    case 'wake':
      return `${kind} ${who} from ${at(each.wakes[item]?.member ?? 0)}`;
    case 'flip':
      return `${kind} ${who} about ${at(item)}`;
    case 'lapse':
      return `${kind} ${who} at n${item + 1}`;
    case 'amnesia':
      return `${kind} n${item + 1}`;
    case 'tick':
      return kind;
    default:
      return `${kind} ${who}`;
  }
}
