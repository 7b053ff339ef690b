import { after } from '../../../src/adapter/queue/stages.ts';
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

/** Goes through all states. Gives how many there are, and the way to the first that is wrong. */
export function explore(
  limits: Limits,
  used: Rules = rules,
): { states: number; problem?: string; trace?: readonly World[] } {
  const first = start(limits);
  const seen = new Map<string, string | undefined>([[JSON.stringify(first), undefined]]);
  let frontier: World[] = [first];
  const fail = (problem: string, last: string | undefined) => {
    const trace: World[] = [];
    for (let at = last; at !== undefined; at = seen.get(at)) trace.unshift(JSON.parse(at) as World);
    return { states: seen.size, problem, trace };
  };
  while (frontier.length > 0) {
    const following: World[] = [];
    for (const world of frontier) {
      const from = JSON.stringify(world);
      let steps: readonly World[];
      try {
        steps = next(world, used);
      } catch (error) {
        return fail((error as Error).message, from);
      }
      const alive = world.claims.some(({ stage }) => stage !== 'over');
      if (steps.length === 0 && alive && world.ticks > 0) return fail('nothing happens any more', from);
      for (const each of steps) {
        const text = JSON.stringify(each);
        if (seen.has(text)) continue;
        seen.set(text, from);
        const problem = problemOf(each);
        if (problem !== undefined) return fail(problem, text);
        following.push(each);
      }
    }
    frontier = following;
  }
  return { states: seen.size };
}
