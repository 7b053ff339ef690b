import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../core/src/testing/random.ts';
import { rulesWith, weaker } from '../../flaws/weaker-migrations.ts';
import type { Rules } from '../model/owner.ts';
import { isRare } from '../model/events.ts';
import { modelOf } from '../model/model.ts';
import { clocks, manyMoves, settingOf, wants } from '../model/setting.ts';
import type { Setting } from '../model/world.ts';
import { expectBroken, expectSound, isLong, tell } from '../../../../core/test/search/report.ts';
import { play } from '../../../../core/test/search/play.ts';
import { search } from '../../../../core/test/search/search.ts';
import type { Found } from '../../../../core/test/search/search.ts';
import { walk } from '../../../../core/test/search/walk.ts';

const rules = await rulesWith();
const timeout = isLong ? 3_600_000 : 180_000;
const walks = isLong ? 200_000 : 2_000;
const most = isLong ? 2_000_000 : Infinity;

const settings = {
  'two processes that want the two ends': settingOf({
    processes: [wants(['from'], { retries: 1 }), wants(['to'], { retries: 1 })],
  }),
  'stores with clocks': settingOf({
    ...clocks,
    processes: [wants(['from', 'both']), wants(['both', 'to'], { lifts: 1 })],
  }),
  'one that leaves, and one that comes': settingOf({
    processes: [wants(['from', 'both']), wants(['both', 'to'], { lifts: 1 })],
  }),
  'one that goes over, and one that stays': settingOf({ processes: [wants(['from', 'to']), wants(['from'])] }),
  'a lease that is carried': settingOf({
    processes: [wants(['from', 'both'], { renewals: 1 }), wants(['both', 'to'], { lifts: 1 })],
  }),
  'a lease that is carried and shed': settingOf({
    processes: [wants(['from', 'both', 'to'], { renewals: 2 }), wants(['both'])],
  }),
  'a lease that was carried, and that the other store lets go of': settingOf({
    processes: [wants(['from', 'both'], { renewals: 2 }), wants(['both', 'to'])],
    faults: { ends: 1 },
  }),
  'one that wakes when the other has gone on without a migration': settingOf({
    processes: [wants(['from']), wants(['to'], { leaves: true })],
    faults: { sleeps: 1 },
  }),
  'a presence that ends before a lease': settingOf({
    presenceTtl: 1,
    processes: [wants(['from']), wants(['both', 'to'])],
    faults: { ticks: 1 },
  }),
} satisfies Readonly<Record<string, Setting>>;

/** One that was in `both`, and one that goes over, back, over again, and on without a migration. */
const toAndFro = settingOf({
  processes: [wants(['both', 'from'], { lifts: 1 }), wants(['to', 'both', 'to'], { leaves: true })],
  faults: { sleeps: 1 },
});

const longer: Readonly<Record<string, Setting>> = {
  'one that sleeps while it takes a mark away': toAndFro,
  'one that wakes, and one that came through both': settingOf({
    presenceTtl: 1,
    processes: [wants(['from'], { retries: 1 }), wants(['both', 'to'], { lifts: 1, leaves: true })],
    faults: { ticks: 1, sleeps: 1 },
  }),
  'a lease that was carried and let go of, and a process that comes over': settingOf({
    processes: [wants(['from', 'both'], { renewals: 2 }), wants(['both', 'to'], { lifts: 1 })],
    faults: { ticks: 1, ends: 1 },
  }),
  'renewals and ticks': settingOf({
    processes: [wants(['from', 'both'], { renewals: 2 }), wants(['both', 'to'], { lifts: 1 })],
    faults: { ticks: 3 },
  }),
  'keep-alive in both': settingOf({
    processes: [wants(['both'], { renewals: 2 }), wants(['both', 'to'], { attempts: 2 })],
    faults: { ticks: 3, losses: 1 },
  }),
  'answers that are late or lost': settingOf({
    processes: [wants(['from', 'both', 'from'], { attempts: 2 }), wants(['to'], { retries: 1 })],
    faults: { ticks: 2, losses: 1, delays: 1 },
  }),
  'two keys and clocks': settingOf({
    ...clocks,
    keys: 2,
    processes: [wants(['from', 'both', 'to'], { attempts: 2 }), wants(['from', 'to'], { attempts: 2, retries: 1 })],
  }),
};

function searchIn(setting: Setting, weak: Rules = rules): Found {
  return search(modelOf(setting, weak), { states: most });
}

describe('a migration has one holder at a time, and tokens that increase, with', () => {
  it.each(Object.entries<Setting>({ ...settings, ...(isLong ? longer : {}) }))(
    '%s',
    (title, setting) => {
      const found = searchIn(setting);
      expectSound(title, found);
      if (!isLong) expect(found.exhaustive).toBe(true);
    },
    timeout,
  );

  it(
    `${walks} random schedules of up to three processes, two keys and two migrations`,
    () => {
      expect(walkAll(rules, walks)).toEqual([]);
    },
    timeout,
  );
});

/** The problems of `count` random schedules. */
function walkAll(use: Rules, count: number): readonly string[] {
  const failures: string[] = [];
  let steps = 0;
  for (let index = 0; index < count; index += 1) {
    const random = createRandom(100_003 + index);
    const walked = walk(modelOf(manyMoves(random), use), random, false, isRare);
    steps += walked.steps;
    if (walked.problem !== undefined)
      failures.push([`schedule ${index}: ${walked.problem}`, ...walked.trace].join('\n'));
  }
  tell(`${count} schedules, ${steps} steps, ${failures.length} problems`);
  return failures;
}

const twoHolders = /P1 and P2 hold key 0 at once/;
const lostEarly = /key 0 is lost before the end that was promised/;
const tokensBack = /token \d+ of key 0 is granted after \d+/;

const comesOver = 'one that leaves, and one that comes';
const letsGo = 'a lease that was carried, and that the other store lets go of';
const goesOn = 'one that wakes when the other has gone on without a migration';

describe('it breaks', () => {
  it.each([
    [
      'where a process looks before it announces',
      weaker.looksFirst,
      'two processes that want the two ends',
      twoHolders,
    ],
    ['where it does not look', weaker.doesNotLook, 'two processes that want the two ends', twoHolders],
    ['where the presence goes while a lease is held', weaker.withdrawsEarly, comesOver, twoHolders],
    ['where tokens have no floor', weaker.noFloor, 'stores with clocks', tokensBack],
    ['where a lease that was carried forgets its end', weaker.forgetsEnd, letsGo, lostEarly],
    ['where a process does not look for a mark', weaker.doesNotCheck, goesOn, tokensBack],
    ['where a process leaves no mark', weaker.leavesNoMark, goesOn, tokensBack],
  ] as const)('%s', async (title, flaws, setting, expected) => {
    expectBroken(title, searchIn(settings[setting], await rulesWith(...flaws)), expected);
  });

  it.each([
    [
      'where a grant of an earlier time counts',
      weaker.holdsOldGrants,
      { ttl: 3, presenceTtl: 1, faults: { ticks: 1, delays: 1 } },
      ['P1 begins key 0 (from)', 'meet ask of P1', 'tick', 'P1 notice'],
      ['P1 retry', ...enters('P1', 0, 1), 'hear ask of P1'],
    ],
    [
      'where a place is kept that may have been granted',
      weaker.keepsUnansweredPlaces,
      { faults: { losses: 1 } },
      ['P1 begins key 0 (from)', 'lose ask of P1', 'meet ask of P1', 'P1 wants both'],
      ['P1 wants from', ...enters('P1', 0, 1), 'P1 repeat', 'answer ask of P1'],
    ],
  ] as const)('%s', async (_, flaws, given, before, after) => {
    const setting = settingOf({
      ...given,
      processes: [
        wants(['from', 'both', 'from'], { attempts: 2, retries: 1 }),
        wants(['both', 'to', 'both'], { lifts: 2 }),
      ],
    });
    const meanwhile = [
      ...lifts('P2', 1, 0),
      ...['P2 wants to', ...enters('P2', 1, 0), 'P2 begins', 'answer ask', 'P2 release', 'P2 wants both'],
      ...lifts('P2', 0, 1),
    ];
    const way = [...enters('P1', 0, 1), ...before, ...meanwhile, ...after];
    expect(play(modelOf(setting, rules), way)).toBeUndefined();
    expect(play(modelOf(setting, await rulesWith(...flaws)), way)).toMatch(tokensBack);
  });
});

describe('it breaks on one way', () => {
  const acts = [...enters('P1', 0, 1), 'P1 begins key 0 (from)', 'answer ask of P1'];
  const enterTo = ['P2 wants to', ...enters('P2', 1, 0), 'P2 begins', 'answer ask of P2'];

  it('where leases may outlast the presence', async () => {
    const setting = settingOf({
      presenceTtl: 1,
      processes: [wants(['from']), wants(['both', 'to'], { lifts: 1 })],
      faults: { ticks: 1 },
    });
    const way = [...acts, 'tick', ...lifts('P2', 1, 0), ...enterTo];
    expect(play(modelOf(setting, rules), way)).toBeUndefined();
    expect(play(modelOf(setting, await rulesWith(...weaker.notCapped)), way)).toMatch(twoHolders);
  });

  it('where a process probes before it looks', async () => {
    const setting = settingOf({
      processes: [wants(['from', 'both'], { attempts: 2 }), wants(['both', 'to'], { lifts: 1 })],
    });
    const [announce, look, check, mark, ...probes] = enters('P2', 1, 0);
    const own = 'answer lift own of P2 at s1';
    const first = enters('P1', 0, 1);
    const firstProbing = [first[0]!, ...first.slice(4), ...first.slice(1, 4)];
    const comes = ['P2 lifts the mark of to', 'answer read mark of P2', 'P2 wants to', announce!];
    const holds = ['P1 begins key 0 (from)', 'answer ask of P1', 'P1 release'];
    const leaves = [...holds, ...holds, 'P1 wants both'];
    const begins = ['P2 begins key 0 (to)', 'answer ask of P2'];
    const probesLast = [...first, ...comes, ...leaves, look!, check!, own, mark!, ...probes, ...begins];
    const probesFirst = [...firstProbing, ...comes, ...probes, ...leaves, look!, check!, own, mark!, ...begins];
    expect(play(modelOf(setting, rules), probesLast)).toBeUndefined();
    expect(play(modelOf(setting, await rulesWith(...weaker.probesFirst)), probesFirst)).toMatch(tokensBack);
  });
});

describe('a mark that was left meanwhile', () => {
  const begins = [...enters('P2', 1, 0), 'P2 wants both', 'P1 lifts the mark of from'];
  const read = 'answer read mark of P1 at s0';
  const look = 'answer look back of P1 at s1';
  const meanwhile = ['P1 sleep', 'P2 wants to', ...enters('P2', 1, 0), 'P2 leave', 'P1 wake'];
  const comesBack = ['P1 wants from', ...enters('P1', 0, 1), 'P1 begins', 'answer ask of P1'];
  const ends = ['P2 begins', 'answer ask of P2'];

  it('is not taken away', () => {
    const way = [...begins, read, look, ...meanwhile, 'answer lift of P1', ...comesBack];
    expect(() => play(modelOf(toAndFro, rules), way)).toThrow(/"answer mark of P1 at s1" is none of/);
  });

  it.each([
    ['marks are alike', [], true, [read, look, ...meanwhile]],
    ['a process looks before it reads', weaker.looksBeforeItReads, false, [look, ...meanwhile, read]],
  ] as const)('is taken away where %s', async (_, flaws, sameMarks, steps) => {
    const weak = modelOf({ ...toAndFro, sameMarks }, await rulesWith(...flaws));
    const way = [...begins, ...steps, 'answer lift of P1', ...comesBack, ...ends];
    expect(play(weak, way)).toMatch(/hold key 0 at once|is granted after/);
  });
});

/** What a process does until it acts under the end of a store. */
function enters(process: string, own: number, other: number): readonly string[] {
  return [
    `answer announce of ${process} at s${own}`,
    `answer look of ${process} at s${other}`,
    `answer check of ${process} at s${own}`,
    `answer mark of ${process} at s${other}`,
    `answer probe other of ${process} at s${other}`,
    `answer probe own of ${process} at s${own}`,
  ];
}

/** What a process does until it has taken the mark of a store away. */
function lifts(process: string, own: number, other: number): readonly string[] {
  return [
    `${process} lifts the mark of ${own === 0 ? 'from' : 'to'}`,
    `answer read mark of ${process} at s${own}`,
    `answer look back of ${process} at s${other}`,
    `answer lift of ${process} at s${own}`,
  ];
}
