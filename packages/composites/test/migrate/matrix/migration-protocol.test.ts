import { describe, expect, it } from 'vitest';
import { rulesWith, weaker } from '../../flaws/weaker-migrations.ts';
import type { Flaw } from '../../flaws/flawed-module.ts';
import type { Rules } from '../../flaws/weaker-migrations.ts';
import { modelOf } from '../model/model.ts';
import { settingOf } from '../model/world.ts';
import type { Setting } from '../model/world.ts';
import { play } from '../../../../core/test/search/play.ts';
import { problemOf, search } from '../../../../core/test/search/search.ts';
import type { Found } from '../../../../core/test/search/search.ts';

const rules = await rulesWith();
const timeout = 180_000;
/** So many states of what is more than a search can visit. */
const most = 60_000;

/** As long as a presence. */
const settle = 2;
/** One that leaves an end, and one that comes to the other one. */
const over: Setting['wishes'] = [['from', 'both'], ['to']];
const back: Setting['wishes'] = [
  ['from', 'to'],
  ['to', 'from'],
];

const settings = {
  'two processes that want the two ends': settingOf({ wishes: [['from'], ['to']], retries: 1 }),
  'one that leaves, and one that comes': settingOf({ wishes: over }),
  'one that goes over, and one that stays': settingOf({ wishes: [['from', 'to'], ['from']] }),
  'one that comes by both, and one that stays in both': settingOf({
    wishes: [['from', 'both', 'to'], ['both']],
    renewals: 2,
  }),
  'a presence that ends before a lease': settingOf({
    wishes: [['from'], ['to']],
    presenceTtl: 1,
    ticks: 1,
  }),
  'stores with clocks, the first one ahead': settingOf({ wishes: over, ahead: 100, perTick: 200, ticks: 1 }),
  'a store that is emptied': settingOf({
    wishes: [['from'], ['to']],
    ...{ settle, losses: 1, ticks: 3, renewals: 1, attempts: 0 },
  }),
} satisfies Readonly<Record<string, Setting>>;

const longer: Readonly<Record<string, Setting>> = {
  'renewals and ticks': settingOf({ wishes: over, renewals: 2, ticks: 3 }),
  'one that sleeps': settingOf({ wishes: over, sleeps: 1, ticks: 3, renewals: 1 }),
  'one that crashes': settingOf({ wishes: over, crashes: 1, ticks: 3, retries: 1 }),
  'there and back': settingOf({ wishes: back, ticks: 2, retries: 1 }),
  'a store that is emptied, there and back': settingOf({
    wishes: back,
    settle,
    losses: 1,
    ticks: 6,
    renewals: 3,
    attempts: 0,
  }),
  'a store that is emptied under three': settingOf({
    wishes: [['to'], ['from'], ['to']],
    settle,
    losses: 1,
    ticks: 4,
    renewals: 2,
    attempts: 0,
  }),
};

function searchIn(setting: Setting, weak: Rules = rules, states = Infinity): Found {
  return search(modelOf(setting, weak), { states });
}

describe('a migration has one holder at a time, and tokens that increase, with', () => {
  it.each(Object.entries<Setting>(settings))(
    '%s',
    (_title, setting) => {
      const found = searchIn(setting);
      expect([problemOf(found), found.exhaustive]).toEqual([undefined, true]);
    },
    timeout,
  );

  it.each(Object.entries(longer))(
    '%s, as far as it is visited',
    (_title, setting) => expect(problemOf(searchIn(setting, rules, most))).toBeUndefined(),
    timeout,
  );
});

const twoAct = /two act under the two ends/;
const twoHold = /two hold the key|two act/;
const tokensBack = /token \d+ is granted after \d+/;

const wantBoth = settings['two processes that want the two ends'];
const comesOver = settings['one that leaves, and one that comes'];
const emptied = settings['a store that is emptied'];
const clocks = settings['stores with clocks, the first one ahead'];

describe('it breaks', () => {
  it.each<[string, readonly Flaw[], Setting, RegExp]>([
    ['where a process looks before it announces', weaker.looksFirst, wantBoth, twoHold],
    ['where it does not look', [], { ...wantBoth, flaw: 'blind' }, twoHold],
    ['where the presence goes while a lease is held', weaker.withdrawsEarly, comesOver, /two hold the key/],
    ['where a process looks once, and a store is emptied', weaker.looksOnce, emptied, twoAct],
    ['where it looks again too early, and a store is emptied', [], { ...emptied, settle: settle - 1 }, twoAct],
  ])(
    '%s',
    async (_title, flaws, setting, expected) => {
      expect(searchIn(setting, await rulesWith(...flaws)).problem).toMatch(expected);
    },
    timeout,
  );

  const acts = (process: string): readonly string[] =>
    Array.from({ length: 6 }, () => [`${process} takes`, `${process} hears`]).flat();
  const leases = (process: string): readonly string[] => [`${process} asks`, `${process} holds`];
  const leaves = ['P1 wants', 'P1 takes', 'P1 hears', 'P1 takes'];

  it.each<[string, readonly Flaw[], Setting, readonly string[], RegExp]>([
    [
      'where leases may outlast the presence',
      weaker.notCapped,
      { ...settings['a presence that ends before a lease'], ttl: 3, ticks: 2 },
      [...acts('P1'), ...leases('P1'), 'tick', ...acts('P2'), ...leases('P2')],
      /two hold the key/,
    ],
    [
      'where tokens are not compared',
      [],
      { ...clocks, flaw: 'low' },
      [...acts('P1'), ...leases('P1'), 'P1 releases', ...leaves, ...acts('P2'), ...leases('P2')],
      tokensBack,
    ],
    [
      'where tokens are compared before it looks',
      weaker.comparesFirst,
      clocks,
      [
        ...[...acts('P1'), 'P2 takes', 'P2 hears', 'P2 takes', 'tick', 'P2 takes', 'P2 hears'],
        ...[...leases('P1'), 'P1 releases', ...leaves, ...acts('P2').slice(4), ...leases('P2')],
      ],
      tokensBack,
    ],
  ])('%s, on one way', async (_, flaws, setting, way, expected) => {
    expect(play(modelOf(setting, await rulesWith(...flaws)), way)).toMatch(expected);
  });
});
