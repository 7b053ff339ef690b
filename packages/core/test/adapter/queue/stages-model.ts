import { after } from '../../../src/adapter/queue/stages.ts';
import type { Model } from '../../search/search.ts';
import { Walk, rules, start, underWay } from './stages-world.ts';
import type { Call, Limits, Rules, World } from './stages-world.ts';

function next(world: World, used: Rules): readonly World[] {
  const found: World[] = [];
  const step = (act: (walk: Walk) => void): void => {
    const walk = new Walk(world, used);
    act(walk);
    found.push(walk.world);
  };
  for (const [index, { caller }] of world.claims.entries()) {
    if (caller === 'early' || caller === 'due') step((walk) => walk.call(index));
  }
  for (const [index, call] of world.calls.entries()) {
    const of = (walk: Walk): Call => walk.world.calls[index] as Call;
    if (!call.processed) step((walk) => walk.process(of(walk)));
    if (call.answer !== undefined) step((walk) => walk.answer(of(walk)));
    if (world.rejections > 0) {
      step((walk) => {
        walk.world.rejections -= 1;
        walk.reject(of(walk));
      });
    }
  }
  for (const [index] of world.messages.entries()) {
    step((walk) => {
      const [message] = walk.world.messages.splice(index, 1);
      if (message !== undefined) walk.hear(message);
    });
    if (world.losses > 0) {
      step((walk) => {
        walk.world.losses -= 1;
        walk.world.messages.splice(index, 1);
      });
    }
  }
  const { holder } = world;
  const heldByDone = holder !== undefined && holder >= 0 && world.claims[holder]?.stage === 'over';
  if (holder === -1 || heldByDone) {
    step((walk) => {
      walk.world.holder = undefined;
      walk.assignHead();
    });
  }
  if (holder === undefined && world.strangers > 0) {
    step((walk) => {
      walk.world.strangers -= 1;
      walk.world.holder = -1;
    });
  }
  if (world.lapses > 0) {
    for (const index of world.queue.keys()) {
      step((walk) => {
        walk.world.lapses -= 1;
        walk.world.queue.splice(index, 1);
      });
    }
  }
  const quiet =
    world.calls.length === 0 &&
    world.messages.length === 0 &&
    world.claims.every(({ caller }) => caller === 'waits' || caller === 'done');
  if (quiet && world.ticks > 0) step((walk) => walk.tick());
  return found;
}

/** Why a state is wrong. */
function problemOf(world: World): string | undefined {
  for (const [index, { stage, caller, forgotten }] of world.claims.entries()) {
    const carrier = world.calls.some(({ others }) => others.includes(index));
    const asks = world.calls.some(({ by }) => by === index);
    if (stage === 'carried' && !carrier) return `${index} is carried by no call`;
    if ((stage === 'entering' || stage === 'asking') !== asks) return `${index} is ${stage}, and its call is ${asks}`;
    if (caller.startsWith('hears') && !underWay.has(stage)) return `${index} hears nothing`;
    if (caller === 'waits' && (stage === 'notified' || stage === 'unsure' || stage === 'assigned'))
      return `${index} was ${stage}, and its caller not woken`;
    if (after(stage, 'leave') !== 'over') return `${index} cannot leave as ${stage}`;
    if (forgotten > 1) return `${index} was forgotten for ${forgotten} rounds as ${stage}`;
  }
  return undefined;
}

/** All orders of what may happen. The next states stand for the events that lead to them. */
export function modelOf(limits: Limits, used: Rules = rules): Model<World, World> {
  return {
    start: start(limits),
    events: (world) => next(world, used),
    apply: (_, following) => following,
    hash: (world, hash) => hash.plain(world),
    problem: problemOf,
    unfinished: ({ claims, ticks }) =>
      ticks > 0 && claims.some(({ stage }) => stage !== 'over') ? 'nothing happens any more' : undefined,
    tell: (following) => JSON.stringify(following),
  };
}
