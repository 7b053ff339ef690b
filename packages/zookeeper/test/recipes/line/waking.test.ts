import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdersOf, judge } from '../../../src/recipes/line/judge.ts';
import type { Verdict } from '../../../src/recipes/attempt-in-line.ts';
import type { Contender } from '../../../src/recipes/contenders.ts';

type Rule = (line: readonly Contender[], own: string) => Verdict;

/** Whether each is a sharer, first come first. */
function lineOf(kinds: readonly boolean[], permits: number | undefined): Contender[] {
  return kinds.map((shared, index) => ({
    name: `n${index}`,
    sequence: index,
    mode: shared ? 'shared' : 'exclusive',
    ...(shared && permits !== undefined ? { permits } : {}),
  }));
}

/** A waiter that may enter although nothing it watches has gone: it would sleep on. */
function findLostWake(rule: Rule, longest: number, permits: number | undefined): string | undefined {
  for (let length = 1; length <= longest; length += 1) {
    for (let kinds = 0; kinds < 2 ** length; kinds += 1) {
      const line = lineOf(
        Array.from({ length }, (_, index) => ((kinds >> index) & 1) === 1),
        permits,
      );
      for (const { name } of line) {
        const verdict = rule(line, name);
        if (verdict.state !== 'waits') continue;
        for (let gone = 1; gone < 2 ** length; gone += 1) {
          const left = line.filter((_, index) => ((gone >> index) & 1) === 0);
          const wakes = verdict.watch.some((watch) => left.every((other) => other.name !== watch));
          if (!wakes && judge(left, name).state === 'holds') {
            return `${name} of ${kinds.toString(2)}, gone: ${gone.toString(2)}`;
          }
        }
      }
    }
  }
  return undefined;
}

const onlyPredecessor: Rule = (line, own) => {
  const verdict = judge(line, own);
  return verdict.state === 'waits' ? { ...verdict, watch: verdict.watch.slice(-1) } : verdict;
};

const oneLess: Rule = (line, own) => {
  const verdict = judge(line, own);
  return verdict.state === 'waits' && verdict.watch.length > 1
    ? { ...verdict, watch: verdict.watch.slice(1) }
    : verdict;
};

describe('no wake is lost, whichever claim goes before it', () => {
  test.each([undefined, 1, 2, 3, 4])('permits: %s', (permits) => {
    expect(findLostWake(judge, 7, permits)).toBeUndefined();
  });

  test('one watch is too few for two permits, and two are for three', () => {
    expect(findLostWake(onlyPredecessor, 4, 2)).toBeDefined();
    expect(findLostWake(oneLess, 5, 3)).toBeDefined();
  });
});

/** Parties that list only when a node they watch has gone, and believe what they were told last. */
class Parties {
  line: Contender[] = [];
  readonly verdicts = new Map<string, Verdict>();
  readonly toWake: string[] = [];
  wakes = 0;
  readonly #rule: Rule;
  #next = 0;

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  arrive(mode: 'exclusive' | 'shared', permits: number | undefined): void {
    const name = `n${this.#next}`;
    this.line.push({ name, sequence: this.#next, mode, ...(mode === 'shared' && permits ? { permits } : {}) });
    this.#next += 1;
    this.#list(name);
  }

  leave(name: string): void {
    this.line = this.line.filter((contender) => contender.name !== name);
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
    return this.line.filter(({ name }) => this.verdicts.get(name)?.state === 'holds');
  }

  #list(name: string): void {
    const verdict = this.#rule(this.line, name);
    this.verdicts.set(name, verdict);
    // What has gone between the list and the watch is noticed when the watch is set.
    if (verdict.state === 'waits' && verdict.watch.some((watch) => this.line.every((other) => other.name !== watch))) {
      this.toWake.push(name);
    }
  }
}

function checkExclusion(parties: Parties, permits: number | undefined): void {
  const { holders } = parties;
  if (holders.some(({ mode }) => mode === 'exclusive')) expect(holders).toHaveLength(1);
  expect(holders.length).toBeLessThanOrEqual(permits ?? Infinity);
}

const steps = fc.array(fc.tuple(fc.constantFrom('exclusive', 'shared', 'shared', 'leave', 'leave', 'wake'), fc.nat()), {
  maxLength: 60,
});

test('arrivals, departures and late wakes in any order: exclusion always, and the turn of each claim comes', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(undefined, 1, 2, 3, 5), (moves, permits) => {
      const parties = new Parties(judge);
      for (const [move, which] of moves) {
        if (move === 'exclusive' || move === 'shared') parties.arrive(move, permits);
        else if (move === 'wake') parties.wake(which);
        else if (parties.line.length > 0) parties.leave(parties.line[which % parties.line.length]?.name ?? '');
        checkExclusion(parties, permits);
      }
      parties.wakeAll();
      while (parties.line.length > 0) {
        expect(parties.holders).toEqual(holdersOf(parties.line).holders);
        expect(parties.holders.length).toBeGreaterThan(0);
        parties.leave(parties.holders[0]?.name ?? '');
        parties.wakeAll();
        checkExclusion(parties, permits);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe('how many wake for each that leaves', () => {
  const count = (modes: readonly ('exclusive' | 'shared')[], permits?: number): number[] => {
    const parties = new Parties(judge);
    for (const mode of modes) parties.arrive(mode, permits);
    return modes.map(() => {
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
    const sharers = Array.from({ length: 40 }, () => 'shared' as const);
    expect(count(sharers, 4)).toEqual([...Array.from({ length: 36 }, () => 1), 0, 0, 0, 0]);
  });

  test('at most as many as there are permits, whichever claim leaves', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
        (permits, who) => {
          const parties = new Parties(judge);
          for (let index = 0; index < 30; index += 1) parties.arrive('shared', permits);
          for (const which of who) {
            const before = parties.wakes;
            parties.leave(parties.line[which % parties.line.length]?.name ?? '');
            parties.wakeAll();
            expect(parties.wakes - before).toBeLessThanOrEqual(permits);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('a line of ten thousand is judged in far less than a heartbeat', () => {
  const line = lineOf(
    Array.from({ length: 10_000 }, () => true),
    3,
  ).toReversed();
  const start = performance.now();
  expect(judge(line, 'n9999')).toEqual({ state: 'waits', place: 9_999, watch: ['n9996', 'n9997', 'n9998'] });
  expect(performance.now() - start).toBeLessThan(1_000);
});
