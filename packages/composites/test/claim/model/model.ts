import { initialState } from '../../../src/claim/claim-state.ts';
import type { Machine } from './contender.ts';
import { name } from './draft.ts';
import { eventsOf, tell } from './events.ts';
import type { Event } from './events.ts';
import { hasherOf } from './hash-world.ts';
import type { Model } from '../../../../core/test/search/search.ts';
import { step } from './step.ts';
import type { Setting } from './setting.ts';
import type { World } from './world.ts';

/** Contenders for one key of a composite, in all the states that they can reach. */
export function modelOf(setting: Setting, machine: Machine): Model<World, Event> {
  return {
    start: startOf(setting, machine),
    events: (world) => eventsOf(setting, world),
    apply: (world, event) => step(setting, machine, world, event),
    hash: hasherOf(setting),
    problem: ({ problem }) => problem,
    unfinished,
    tell: (event, world) => tell(setting, world, event),
  };
}

function startOf(setting: Setting, machine: Machine): World {
  const { contenders, members, leases, renewals, repeats, faults, counters, floors } = setting;
  let world: World = {
    now: 0,
    contenders: Array.from({ length: contenders }, () => ({
      stage: 'new',
      machine: initialState(members),
      woken: false,
      polls: false,
      looks: false,
      lease: undefined,
      calls: [],
      returns: [],
      wakes: [],
      suspects: 0,
      leases,
      renewals,
      repeats,
    })),
    stores: Array.from({ length: members }, (_, index) => ({
      hold: undefined,
      queue: [],
      counter: BigInt(counters[index] ?? 0),
      closedUntil: 0,
    })),
    faults,
    highest: 0n,
    minted: 0n,
    problem: undefined,
  };
  // Without clocks and floors no other event depends on when a contender sends its first requests.
  if (faults.ticks > 0 || floors.length > 0) return world;
  for (let contender = 0; contender < contenders; contender += 1) {
    world = step(setting, machine, world, { kind: 'start', contender, item: 0 });
  }
  return world;
}

/** Why all is not done, where nothing can happen any more. */
function unfinished({ contenders, stores, problem }: World): string | undefined {
  if (problem !== undefined) return undefined;
  const stuck = contenders.flatMap(({ stage }, index) =>
    stage === 'done' || stage === 'crashed' ? [] : [name(index)],
  );
  if (stuck.length > 0) return `${stuck.join(' and ')} can never go on`;
  const left = stores.findIndex(({ hold, queue }) => hold !== undefined || queue.length > 0);
  return left === -1 ? undefined : `something is left at n${left + 1}`;
}
