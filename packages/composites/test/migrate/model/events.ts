import type { PhaseState } from '../../../src/migrate/decisions.ts';
import { oppositeOf } from '../../../src/migrate/phase.ts';
import type { End, Phase } from '../../../src/migrate/phase.ts';
import { isOfLift, isOfPhase } from './actor.ts';
import { storeOf } from './world.ts';
import type { Actions, Hold, Process, Setting, World } from './world.ts';

/** One thing that may happen next. `item`: of the process's calls or returns, a key, or a wish. */
export interface Event {
  readonly kind: EventKind;
  readonly process: number;
  readonly item: number;
}

type EventKind =
  | 'desire'
  | 'begin'
  | 'repeat'
  | 'release'
  | 'renew'
  | 'remain'
  | 'notice'
  | 'retry'
  | 'move'
  | 'crash'
  | 'lift'
  | 'sleep'
  | 'wake'
  | 'leave'
  | 'answer'
  | 'meet'
  | 'hear'
  | 'lose'
  | 'take back'
  | 'end'
  | 'tick';

const rare: ReadonlySet<EventKind> = new Set([
  'desire',
  'crash',
  'lose',
  'meet',
  'tick',
  'retry',
  'release',
  'sleep',
  'leave',
  'end',
]);

/** In random schedules most of these must wait until something else has happened. */
export function isRare({ kind }: Event): boolean {
  return rare.has(kind);
}

/** All that may happen in `world`. */
export function eventsOf(setting: Setting, world: World): readonly Event[] {
  const events: Event[] = [];
  if (world.problem !== undefined) return events;
  world.processes.forEach((each, process) => {
    const add = (kind: EventKind, item = 0): void => void events.push({ kind, process, item });
    const actions = setting.processes[process];
    if (actions !== undefined && isAwake(each)) addOwn(setting, world, { each, actions }, add);
    if (each.stage === 'asleep') add('wake');
    each.calls.forEach(({ answer, orphan }, item) => {
      if (each.stage === 'asleep') {
        if (answer === undefined) add('meet', item);
      } else if (answer !== undefined) add('hear', item);
      else if (orphan) add('meet', item);
      else {
        add('answer', item);
        if (world.faults.delays > 0) add('meet', item);
      }
      if (answer === undefined && !orphan && world.faults.losses > 0) add('lose', item);
    });
    each.returns.forEach((_, item) => add('take back', item));
    if (world.faults.ends > 0 && carriedTo(setting, world, each) !== undefined) add('end');
  });
  if (world.faults.ticks > 0) events.push({ kind: 'tick', process: 0, item: 0 });
  return events;
}

/** The hold in the other store of a lease that was carried, and counts on its end still. */
export function carriedTo(setting: Setting, { now, stores }: World, process: Process): Hold | undefined {
  const { claim } = process;
  if (claim === undefined || claim.phase !== 'both' || now >= claim.toldUntil) return undefined;
  const end = oppositeOf(claim.end);
  const store = storeOf(setting, process, end);
  const hold = stores[store]?.holds[claim.key];
  if (hold?.number !== claim.numbers[end === 'from' ? 0 : 1] || isConfirmed(process, end, store)) return undefined;
  return hold;
}

/**
 * A renewal under way has the word of this store already, as it asks `from` before `to`. A store
 * that lets go after its word breaks a promise, which the migration cannot make up for.
 */
function isConfirmed({ claim, calls }: Process, end: End, store: number): boolean {
  if (claim?.stage !== 'renewing') return false;
  const underWay = calls.filter((call) => call.kind === 'renew' && !call.orphan);
  return underWay.some((call) => (call.store === store ? call.answer === 'yes' : end === 'from'));
}

type Add = (kind: EventKind, item?: number) => void;

function addOwn(
  setting: Setting,
  world: World,
  { each, actions }: { readonly each: Process; readonly actions: Actions },
  add: Add,
): void {
  const { wants, leaves } = actions;
  const { phase, presence, claim, calls } = each;
  if (each.stage === 'up' && each.wished < wants.length && mayWant(world, each, wants[each.wished])) add('desire');
  const free = !calls.some((call) => !call.orphan && !isOfPhase(call) && !isOfLift(call));
  if (claim === undefined) {
    for (let key = 0; key < setting.keys && each.attempts > 0; key += 1) add('begin', key);
  } else if (free) {
    if (claim.stage === 'waiting' && each.attempts > 0) add('repeat');
    if (claim.stage === 'waiting' || claim.stage === 'held') add('release');
    if (claim.stage === 'held' && world.now < claim.until && each.renewals > 0) add('renew');
  }
  if (presence !== undefined && world.now >= presence.until) add('notice');
  if (presence !== undefined && world.now < presence.until && each.renewals > 0 && !remains(each)) add('remain');
  if (phase.refused && phase.end === undefined && each.retries > 0) add('retry');
  if (mayMove(setting, world, each)) add('move');
  if (each.stage !== 'up') return;
  if (mayLift(world, each)) {
    add('lift', 0);
    add('lift', 1);
  }
  if (leaves && mayLeave(world, each)) add('leave');
  if (world.faults.sleeps > 0) add('sleep');
  if (world.faults.crashes > 0) add('crash');
}

function isAwake({ stage }: Process): boolean {
  return stage === 'up' || stage === 'plain';
}

/** An operator takes back no step while processes use the second store without a migration. */
function mayLift({ processes }: World, { lifts, lift, phase }: Process): boolean {
  return (
    lifts > 0 && lift === undefined && phase.desired === 'both' && !processes.some(({ stage }) => stage === 'plain')
  );
}

/** The status has no process that is elsewhere. One that sleeps is not seen without a presence. */
function mayLeave({ now, processes }: World, each: Process): boolean {
  const isUnseen = ({ stage, presence }: Process): boolean =>
    stage === 'asleep' && (presence === undefined || now >= presence.until);
  const others = processes.filter((other) => other !== each);
  return (
    arrived(each.phase) &&
    each.claim === undefined &&
    others.every(
      (other) =>
        other.stage === 'crashed' ||
        other.stage === 'plain' ||
        isUnseen(other) ||
        (other.stage === 'up' && arrived(other.phase)),
    )
  );
}

function remains({ calls }: Process): boolean {
  return calls.some(({ kind, orphan }) => kind === 'remain' && !orphan);
}

/** All processes of its migration act under `to`, or have gone on: the next one may begin. */
function mayMove({ migrations }: Setting, { processes }: World, each: Process): boolean {
  if (each.migration + 1 >= migrations.length || each.claim !== undefined) return false;
  const ready = ({ stage, migration, phase }: Process): boolean =>
    stage === 'crashed' || migration > each.migration || arrived(phase);
  return processes.every(ready);
}

/** In a second migration `to` is wanted when no process is without that migration any more. */
function mayWant({ processes }: World, each: Process, phase: Phase | undefined): boolean {
  if (phase !== 'to' || each.migration === 0) return true;
  return processes.every(({ stage, migration }) => stage === 'crashed' || migration === each.migration);
}

function arrived({ desired, end, acting }: PhaseState): boolean {
  return desired === 'to' && end === 'to' && acting;
}

/** The event, for people. */
export function tell(setting: Setting, { processes, faults }: World, { kind, process, item }: Event): string {
  const who = `P${process + 1}`;
  const each = processes[process]!;
  const { calls, returns } = each;
  switch (kind) {
    case 'desire':
      return `${who} wants ${setting.processes[process]?.wants[each.wished]}`;
    case 'begin':
      return `${who} begins key ${item} (${each.phase.acting ? each.phase.end : 'both'})`;
    case 'answer':
    case 'meet':
    case 'hear':
    case 'lose': {
      const { kind: what, store, answer } = calls[item]!;
      return `${kind} ${what} of ${who} at s${store}${answer === undefined ? '' : `: ${JSON.stringify(answer)}`}`;
    }
    case 'take back':
      return `${kind} ${who}~${returns[item]?.number} at s${returns[item]?.store}`;
    case 'tick':
      return `tick (${faults.ticks - 1} left)`;
    case 'lift':
      return `${who} lifts the mark of ${item === 0 ? 'from' : 'to'}`;
    default:
      return `${who} ${kind}`;
  }
}
