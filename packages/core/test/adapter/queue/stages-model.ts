import { after, answerOf } from '../../../src/adapter/queue/stages.ts';
import type { Event, Stage } from '../../../src/adapter/queue/stages.ts';

/**
 * Claims of one process on one key, their callers, and a backend that assigns the key to the head
 * of its queue. All orders of calls, answers, messages and losses. Time passes when all that is
 * under way has arrived: then each claim that waits is due.
 */
interface Mine {
  stage: Stage;
  /** A grant was told by a message. */
  told: boolean;
  /** Its caller does other things, will call (early or in time), or waits for another call. */
  caller: 'waits' | 'early' | 'due' | 'hears' | 'hears-due' | 'calls' | 'done';
  /** A call of this time showed it: the next sign of life is not due. */
  fresh: boolean;
  /** For how many ticks it was given the key, or out of the backend's queue, without asking. */
  forgotten: number;
}

interface Call {
  readonly by: number;
  readonly others: readonly number[];
  /** Undefined: the backend has not decided it. */
  answer: 'granted' | 'busy' | 'head' | undefined;
  kept: readonly number[];
  processed: boolean;
}

export interface World {
  claims: Mine[];
  calls: Call[];
  /** The owner, assigned or granted; -1: another process; undefined: free. */
  holder: number | undefined;
  queue: number[];
  messages: { to: number; assigned: boolean }[];
  losses: number;
  rejections: number;
  lapses: number;
  strangers: number;
  ticks: number;
}

export interface Rules {
  after(stage: Stage, event: Event): Stage;
  answerOf: typeof answerOf;
  /** Whom the backend names as kept. */
  kept(inQueue: readonly number[], others: readonly number[]): readonly number[];
}

export const rules: Rules = {
  after,
  answerOf,
  kept: ([head, ...rest], others) => others.filter((other) => other !== head && rest.includes(other)),
};

export interface Limits {
  readonly claims: number;
  readonly losses: number;
  readonly rejections: number;
  readonly lapses: number;
  readonly strangers: number;
  readonly ticks: number;
}

function start({ claims, ...limits }: Limits): World {
  return {
    claims: Array.from({ length: claims }, () => ({
      stage: 'outside',
      told: false,
      caller: 'early',
      fresh: false,
      forgotten: 0,
    })),
    calls: [],
    holder: -1,
    queue: [],
    messages: [],
    ...limits,
  };
}

const underWay: ReadonlySet<Stage> = new Set(['entering', 'asking', 'carried']);

class Walk {
  readonly world: World;
  readonly #rules: Rules;

  constructor(world: World, used: Rules) {
    this.world = structuredClone(world);
    this.#rules = used;
  }

  mine(index: number): Mine {
    return this.world.claims[index] as Mine;
  }

  to(index: number, event: Event): void {
    const mine = this.mine(index);
    mine.stage = this.#rules.after(mine.stage, event);
    // The promise that a second caller, or a carried one, waits for.
    if (!underWay.has(mine.stage) && mine.caller.startsWith('hears'))
      mine.caller = mine.caller === 'hears' ? 'early' : 'due';
  }

  wake(index: number): void {
    const mine = this.mine(index);
    if (mine.caller === 'waits' || mine.caller === 'due') mine.caller = 'early';
  }

  done(index: number): void {
    this.to(index, 'leave');
    this.mine(index).caller = 'done';
    this.mine(index).forgotten = 0;
    this.world.messages = this.world.messages.filter(({ to }) => to !== index);
  }

  call(index: number): void {
    const mine = this.mine(index);
    const early = mine.caller === 'early';
    const decided = this.#rules.answerOf(mine.stage, early);
    const answer = decided === 'quiet' && !mine.fresh ? 'ask with others' : decided;
    if (answer === 'grant') return this.done(index);
    if (answer === 'hear') return void (mine.caller = early ? 'hears' : 'hears-due');
    if (answer === 'quiet') return void (mine.caller = 'waits');
    if (this.world.calls.some(({ by }) => by === index)) throw new Error(`two calls of ${index} under way`);
    const others = answer === 'ask' ? [] : this.carried(index);
    for (const other of others) {
      this.to(other, 'carry');
      this.mine(other).fresh = true;
    }
    mine.told = false;
    this.to(index, 'ask');
    this.to(index, 'send');
    mine.caller = 'calls';
    this.world.calls.push({ by: index, others, answer: undefined, kept: [], processed: false });
  }

  carried(by: number): readonly number[] {
    return this.world.claims.flatMap(({ stage }, index) =>
      index !== by && (stage === 'waiting' || stage === 'shown' || stage === 'asking') ? [index] : [],
    );
  }

  /** The backend decides a call. */
  process(call: Call): void {
    const { world } = this;
    const { by } = call;
    call.processed = true;
    this.mine(by).forgotten = 0;
    if (world.holder === by || (world.holder === undefined && (world.queue[0] ?? by) === by)) {
      world.holder = by;
      world.queue = world.queue.filter((each) => each !== by);
      call.answer = 'granted';
    } else {
      if (!world.queue.includes(by)) world.queue.push(by);
      call.answer = world.queue[0] === by ? 'head' : 'busy';
    }
    call.kept = this.#rules.kept(world.queue, call.others);
    this.assignHead();
  }

  /** The key is free: the head is given it, and told. */
  assignHead(): void {
    const { world } = this;
    const [head] = world.queue;
    if (world.holder !== undefined || head === undefined) return;
    world.queue.shift();
    world.holder = head;
    world.messages.push({ to: head, assigned: true });
  }

  answer(call: Call): void {
    const { by, others, answer, kept } = call;
    this.drop(call);
    for (const other of others) {
      const { stage } = this.mine(other);
      this.to(other, kept.includes(other) ? 'kept' : 'not-kept');
      if (stage === 'carried' && !kept.includes(other)) this.wake(other);
    }
    if (answer === 'granted') return this.done(by);
    this.to(by, answer === 'head' ? 'busy-head' : 'busy');
    const mine = this.mine(by);
    if (mine.told) this.to(by, 'assign');
    // A message that came meanwhile is newer than the answer.
    mine.caller = mine.stage === 'assigned' ? 'early' : 'waits';
  }

  reject(call: Call): void {
    this.drop(call);
    for (const other of call.others) this.to(other, 'carrier-failed');
    this.to(call.by, 'failed');
    if (this.mine(call.by).told) this.to(call.by, 'assign');
    // Core tries again soon.
    this.mine(call.by).caller = 'early';
  }

  drop(call: Call): void {
    this.world.calls = this.world.calls.filter((each) => each !== call);
  }

  hear({ to, assigned }: World['messages'][number]): void {
    const mine = this.mine(to);
    if (mine.stage === 'over') return;
    if (assigned) mine.told = true;
    this.to(to, assigned ? 'assign' : 'notify');
    this.wake(to);
  }

  tick(): void {
    this.world.ticks -= 1;
    for (const [index, mine] of this.world.claims.entries()) {
      if (mine.caller === 'waits') mine.caller = 'due';
      mine.fresh = false;
      const lost = mine.stage !== 'over' && (this.world.holder === index || !this.world.queue.includes(index));
      mine.forgotten = lost ? mine.forgotten + 1 : 0;
    }
  }
}

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
