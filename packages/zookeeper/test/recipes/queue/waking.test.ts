import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdersOf, judge } from '../../../src/recipes/algorithm.ts';
import type { Verdict } from '../../../src/recipes/recipe.ts';
import type { Contender } from '../../../src/recipes/contenders.ts';

type Rule = (queue: readonly Contender[], own: string) => Verdict;

/** A number: a sharer with so many permits. */
type Kind = 'exclusive' | 'shared' | number;

function contenderOf(kind: Kind, index: number): Contender {
  const mode = kind === 'exclusive' ? kind : 'shared';
  return { name: `n${index}`, sequence: index, mode, ...(typeof kind === 'number' && { permits: kind }) };
}

/** All queues of these kinds, up to a length. */
function* queuesOf(longest: number, kinds: readonly Kind[]): Iterable<Contender[]> {
  for (let length = 1; length <= longest; length += 1) {
    for (let which = 0; which < kinds.length ** length; which += 1) {
      const digits = Array.from({ length }, (_, index) => Math.floor(which / kinds.length ** index) % kinds.length);
      yield digits.map((digit, index) => contenderOf(kinds[digit] as Kind, index));
    }
  }
}

/** A waiter that may enter although nothing it watches has gone: it would sleep on. */
function findLostWake(rule: Rule, longest: number, sharer: Kind, ...others: readonly Kind[]): string | undefined {
  for (const queue of queuesOf(longest, ['exclusive', sharer, ...others])) {
    for (const { name } of queue) {
      const verdict = rule(queue, name);
      if (verdict.state !== 'waits') continue;
      for (let gone = 1; gone < 2 ** queue.length; gone += 1) {
        const left = queue.filter((_, index) => ((gone >> index) & 1) === 0);
        const wakes = verdict.watch.some((watch) => left.every((other) => other.name !== watch));
        if (!wakes && judge(left, name).state === 'holds') {
          return `${name} of ${JSON.stringify(queue)}, gone: ${gone.toString(2)}`;
        }
      }
    }
  }
  return undefined;
}

const onlyPredecessor: Rule = (queue, own) => {
  const verdict = judge(queue, own);
  return verdict.state === 'waits' ? { ...verdict, watch: verdict.watch.slice(-1) } : verdict;
};

const oneLess: Rule = (queue, own) => {
  const verdict = judge(queue, own);
  return verdict.state === 'waits' && verdict.watch.length > 1
    ? { ...verdict, watch: verdict.watch.slice(1) }
    : verdict;
};

describe('no wake is lost, whichever claim goes before it', () => {
  test.each(['shared', 1, 2, 3, 4] as const)('permits: %s', (permits) => {
    expect(findLostWake(judge, 7, permits)).toBeUndefined();
  });

  test('each sharer with its own number of permits', () => {
    expect(findLostWake(judge, 5, 'shared', 1, 2, 3)).toBeUndefined();
  });

  test('one watch is too few for two permits, and two are for three', () => {
    expect(findLostWake(onlyPredecessor, 4, 2)).toBeDefined();
    expect(findLostWake(oneLess, 5, 3)).toBeDefined();
  });
});

/** Parties that list only when a node they watch has gone, and believe what they were told last. */
class Parties {
  queue: Contender[] = [];
  readonly verdicts = new Map<string, Verdict>();
  readonly toWake: string[] = [];
  wakes = 0;
  readonly #rule: Rule;
  #next = 0;

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  arrive(kind: Kind): void {
    const contender = contenderOf(kind, this.#next);
    this.queue.push(contender);
    this.#next += 1;
    this.#list(contender.name);
  }

  leave(name: string): void {
    this.queue = this.queue.filter((contender) => contender.name !== name);
    this.verdicts.delete(name);
    for (const [other, verdict] of this.verdicts) {
      if (verdict.state === 'waits' && verdict.watch.includes(name)) this.toWake.push(other);
    }
  }

  /** One of the claims that are to be woken lists again. */
  wake(which: number): void {
    const [name] = this.toWake.splice(which % this.toWake.length, 1);
    if (name === undefined || !this.verdicts.has(name)) return;
    this.wakes += 1;
    this.#list(name);
  }

  wakeAll(): void {
    while (this.toWake.length > 0) this.wake(0);
  }

  get holders(): readonly Contender[] {
    return this.queue.filter(({ name }) => this.verdicts.get(name)?.state === 'holds');
  }

  #list(name: string): void {
    const verdict = this.#rule(this.queue, name);
    this.verdicts.set(name, verdict);
    // What has gone between the list and the watch is noticed when the watch is set.
    if (verdict.state === 'waits' && verdict.watch.some((watch) => this.queue.every((other) => other.name !== watch))) {
      this.toWake.push(name);
    }
  }
}

function checkExclusion({ holders }: Parties): void {
  if (holders.some(({ mode }) => mode === 'exclusive')) expect(holders).toHaveLength(1);
  for (const [before, { permits = Infinity }] of holders.entries()) expect(before).toBeLessThan(permits);
}

const steps = fc.array(fc.tuple(fc.constantFrom('exclusive', 'shared', 'shared', 'leave', 'leave', 'wake'), fc.nat()), {
  maxLength: 60,
});

/** Of the sharers. */
const numbers = fc.array(fc.constantFrom('shared' as const, 1, 2, 3, 5), { minLength: 1, maxLength: 3 });

test('arrivals, departures and late wakes in any order: exclusion always, and the turn of each claim comes', () => {
  fc.assert(
    fc.property(steps, numbers, (moves, permits) => {
      const parties = new Parties(judge);
      for (const [move, which] of moves) {
        if (move === 'exclusive') parties.arrive(move);
        else if (move === 'shared') parties.arrive(permits[which % permits.length] ?? move);
        else if (move === 'wake') parties.wake(which);
        else if (parties.queue.length > 0) parties.leave(parties.queue[which % parties.queue.length]?.name ?? '');
        checkExclusion(parties);
      }
      parties.wakeAll();
      while (parties.queue.length > 0) {
        expect(parties.holders).toEqual(holdersOf(parties.queue).holders);
        expect(parties.holders.length).toBeGreaterThan(0);
        parties.leave(parties.holders[0]?.name ?? '');
        parties.wakeAll();
        checkExclusion(parties);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe('how many wake for each that leaves', () => {
  const count = (kinds: readonly Kind[]): number[] => {
    const parties = new Parties(judge);
    for (const kind of kinds) parties.arrive(kind);
    return kinds.map(() => {
      const before = parties.wakes;
      parties.leave(parties.holders[0]?.name ?? '');
      parties.wakeAll();
      return parties.wakes - before;
    });
  };

  test('one of the exclusive ones', () => {
    expect(count(Array.from({ length: 50 }, () => 'exclusive'))).toEqual([...Array.from({ length: 49 }, () => 1), 0]);
  });

  test('the sharers behind an exclusive claim together, and behind a sharer only the next exclusive claim', () => {
    const sharers = Array.from({ length: 20 }, () => 'shared' as const);
    expect(count(['exclusive', ...sharers, 'exclusive'])).toEqual([20, ...Array.from({ length: 19 }, () => 0), 1, 0]);
  });

  test('one of those who wait for permits, when holders leave as they came', () => {
    const sharers = Array.from({ length: 40 }, () => 4);
    expect(count(sharers)).toEqual([...Array.from({ length: 36 }, () => 1), 0, 0, 0, 0]);
  });

  test('at most as many as there are permits, whichever claim leaves', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
        (permits, who) => {
          const parties = new Parties(judge);
          for (let index = 0; index < 30; index += 1) parties.arrive(permits);
          for (const which of who) {
            const before = parties.wakes;
            parties.leave(parties.queue[which % parties.queue.length]?.name ?? '');
            parties.wakeAll();
            expect(parties.wakes - before).toBeLessThanOrEqual(permits);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('a queue of ten thousand is judged in far less than a heartbeat', () => {
  const queue = Array.from({ length: 10_000 }, (_, index) => contenderOf(3, index)).toReversed();
  const start = performance.now();
  expect(judge(queue, 'n9999')).toEqual({ state: 'waits', place: 9_999, watch: ['n9996', 'n9997', 'n9998'] });
  expect(performance.now() - start).toBeLessThan(1_000);
});
