import { after, answerOf } from '../../../src/adapter/queue/stages.ts';
import type { Event, Stage } from '../../../src/adapter/queue/stages.ts';

/**
 * Claims of one process on one key, their callers, and a backend that assigns the key to the head
 * of its queue. All orders of calls, answers, messages and losses. Time passes when all that is
 * under way has arrived: then each claim that waits is due.
 */
export interface Mine {
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

export interface Call {
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

export function start({ claims, ...limits }: Limits): World {
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

export const underWay: ReadonlySet<Stage> = new Set(['entering', 'asking', 'carried']);

export class Walk {
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
