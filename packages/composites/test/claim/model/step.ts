import { initialState } from '../../../src/claim/claim-state.ts';
import { ContenderWorld } from './contender.ts';
import type { Machine } from './contender.ts';
import { Draft } from './draft.ts';
import type { Event } from './events.ts';
import { hear, meetCall, reject, returned, silence, takeBack, tidy } from './messages.ts';
import type { Setting } from './setting.ts';
import { lapse } from './store.ts';
import type { World } from './world.ts';

/** The state after `event`. */
export function step(setting: Setting, machine: Machine, world: World, event: Event): World {
  const { kind, contender, item } = event;
  const draft = new Draft(setting, world, kind === 'tick' ? world.now + setting.tick : world.now);
  const each = draft.contender(contender);
  const enter = (): ContenderWorld => new ContenderWorld(draft, contender, machine);
  switch (kind) {
    case 'start':
    case 'repeat':
      draft.change(contender, {
        stage: 'asking',
        woken: false,
        polls: false,
        repeats: each.repeats - (kind === 'repeat' && !each.woken ? 1 : 0),
      });
      new ContenderWorld(draft, contender, machine, setting.floors[item]).machine.attempt(
        setting.waits,
        setting.crowded,
      );
      break;
    case 'renew':
      draft.change(contender, { renewals: each.renewals - 1 });
      enter().machine.renew(undefined);
      break;
    case 'forsake':
      if (!enter().machine.forsake()) draft.change(contender, { stage: 'forsaken' });
      else {
        enter().machine.release();
        end(draft, contender);
      }
      break;
    case 'promise over':
      enter().machine.promiseOver();
      end(draft, contender);
      break;
    case 'release':
    case 'leave':
      if (kind === 'leave' && setting.waits) draft.spend('departures');
      enter().machine.release();
      end(draft, contender);
      break;
    case 'limit':
      enter().machine.expired();
      break;
    case 'resume':
      enter().machine.resumed();
      break;
    case 'look':
      draft.change(contender, { looks: false });
      if (item === 0) break;
      draft.spend('looks');
      enter().machine.looked();
      break;
    case 'meet':
    case 'copy':
      meetCall(draft, contender, item, machine, kind === 'copy');
      break;
    case 'hear':
      hear(draft, contender, item, machine);
      break;
    case 'silence':
      silence(draft, contender, item, machine);
      break;
    case 'reject':
      reject(draft, contender, item, machine);
      break;
    case 'take back':
      takeBack(draft, contender, item, machine);
      break;
    case 'returned':
      returned(draft, contender, item, machine);
      break;
    case 'wake': {
      const { member } = each.wakes[item] ?? { member: 0 };
      draft.change(contender, { wakes: each.wakes.toSpliced(item, 1) });
      enter().woken(member);
      break;
    }
    case 'crash':
      draft.spend('crashes');
      crash(draft, contender);
      break;
    case 'lapse':
      lapse(draft, item, contender);
      break;
    case 'flip':
      draft.spend('flips');
      draft.change(contender, { suspects: each.suspects ^ (1 << item) });
      break;
    case 'amnesia':
      draft.spend('amnesias');
      draft.changeStore(item, {
        hold: undefined,
        queue: [],
        counter: 0n,
        closedUntil: draft.now + setting.quarantine * setting.tick,
      });
      break;
    case 'tick':
      draft.spend('ticks');
      break;
    default:
      kind satisfies never;
  }
  tidy(draft);
  return draft.done();
}

/** Core has released its claim. */
function end(draft: Draft, contender: number): void {
  const { leases } = draft.contender(contender);
  const { renewals, repeats } = draft.setting;
  draft.change(contender, {
    stage: leases > 1 ? 'new' : 'done',
    machine: initialState(draft.setting.members),
    lease: undefined,
    woken: false,
    polls: false,
    looks: false,
    leases: leases - 1,
    renewals,
    repeats,
  });
}

/** Its process is gone. Requests on their way go on. */
function crash(draft: Draft, contender: number): void {
  const { calls, returns } = draft.contender(contender);
  draft.change(contender, {
    stage: 'crashed',
    machine: initialState(draft.setting.members),
    lease: undefined,
    woken: false,
    polls: false,
    looks: false,
    suspects: 0,
    wakes: [],
    calls: calls.flatMap((call) => (call.answer === undefined ? [{ ...call, orphan: true, silent: false }] : [])),
    returns: returns.flatMap((one) => (one.stage === 'sent' ? [{ ...one, awaited: false }] : [])),
  });
}
