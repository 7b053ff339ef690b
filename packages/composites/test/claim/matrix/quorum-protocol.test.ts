import { describe, expect, it } from 'vitest';
import type { Machine } from '../model/contender.ts';
import { machineWith } from '../../flaws/flawed-machine.ts';
import { modelOf } from '../model/model.ts';
import { expectBroken, expectSound, isLong, tell } from '../../../../core/test/search/report.ts';
import { search } from '../../../../core/test/search/search.ts';
import type { Found } from '../../../../core/test/search/search.ts';
import { manyFaults, walkAll } from '../model/walk.ts';
import { weaker } from '../../flaws/weaker-machines.ts';
import { settingOf } from '../model/setting.ts';
import type { Setting } from '../model/setting.ts';

type Given = Parameters<typeof settingOf>[0];

const machine = await machineWith();
const timeout = isLong ? 3_600_000 : 60_000;
const walks = isLong ? 200_000 : 2_000;
const most = isLong ? 3_000_000 : Infinity;

/**
 * Two contenders whose queues are at other members, so that their majorities meet in one member.
 */
const apart: Given = {
  members: 3,
  contenders: 2,
  waits: false,
  crowded: true,
  tokens: 'counter',
  orders: [
    [0, 1, 2],
    [2, 0, 1],
  ],
  ways: ['pp-', 'pp-'],
};

/** What the world does. One rule of the protocol answers each. */
const settings = {
  'counters that differ': settingOf({ ...apart, counters: [0, 5, 0], faults: { ticks: 1 } }),
  'floors that make tokens equal, or not': settingOf({
    ...apart,
    counters: [0, 1, 0],
    floors: [0, 2],
    faults: { ticks: 1 },
  }),
  'a copy of a request that comes late': settingOf({
    ...apart,
    counters: [3, 0, 9],
    orders: [
      [1, 0, 2],
      [2, 1, 0],
    ],
    faults: { ticks: 2, copies: 1 },
    faultyContender: 0,
  }),
  'a vote that comes late': settingOf({
    ...apart,
    tokens: 'newest',
    ways: ['lpp', 'pp-'],
    faults: { ticks: 2 },
  }),
  'an answer that comes late': settingOf({ ...apart, ways: ['lp-', 'pp-'], faults: { ticks: 2 } }),
  'clocks that run apart': settingOf({ ...apart, drift: 1, margin: 1, faults: { ticks: 2 } }),
  'a member that comes back empty': settingOf({
    ...apart,
    tokens: 'clock',
    orders: [
      [0, 1, 2],
      [2, 1, 0],
    ],
    quarantine: 2,
    faults: { ticks: 2, amnesias: 1 },
    faultyStore: 1,
  }),
  'a lease that is lost, and its votes': settingOf({
    ...apart,
    fencing: false,
    tokens: 'newest',
    waits: true,
    orders: [],
    ways: ['spp', 'p-p'],
    repeats: 0,
    renewals: 1,
    ttl: 1,
    quarantine: 1,
    faults: { ticks: 1, amnesias: 1 },
    faultyStore: 1,
  }),
  'an answer that is lost, and a release that is late': settingOf({
    ...apart,
    ways: ['ppp', 'pp-'],
    repeats: 1,
    faults: { rejections: 1, silences: 1 },
    faultyContender: 0,
  }),
  'an answer that is lost, and a request that is repeated': settingOf({
    ...apart,
    fencing: false,
    ways: ['pps', 'pp-'],
    repeats: 1,
    faults: { ticks: 2, rejections: 1 },
    faultyContender: 0,
  }),
} satisfies Record<string, Setting>;

const quick = new Set<Setting>([
  settings['counters that differ'],
  settings['floors that make tokens equal, or not'],
  settings['a copy of a request that comes late'],
  settings['a vote that comes late'],
  settings['an answer that comes late'],
  settings['clocks that run apart'],
  settings['a member that comes back empty'],
]);

/** All of this together is more than a search can visit. */
const longer: Readonly<Record<string, Setting>> = {
  'late requests and answers': settingOf({ ...apart, orders: [], ways: [], tokens: 'newest', faults: { ticks: 2 } }),
  'late requests, and renewals': settingOf({ ...apart, ways: ['lp-', 'pp-'], renewals: 1, faults: { ticks: 3 } }),
  'floors, late requests and answers': settingOf({
    ...apart,
    orders: [],
    ways: [],
    counters: [0, 1, 0],
    floors: [0, 1, 2],
    faults: { ticks: 2 },
  }),
  'floors, two leases each': settingOf({
    ...apart,
    ways: ['ppp', 'ppp'],
    leases: 2,
    counters: [0, 1, 0],
    floors: [0, 3],
    faults: { ticks: 2 },
  }),
  'floors, and renewals': settingOf({
    ...apart,
    ways: ['lp-', 'pp-'],
    renewals: 1,
    counters: [0, 1, 0],
    floors: [0, 2],
    faults: { ticks: 3 },
  }),
  'three members, and copies': settingOf({ ...apart, ways: ['ppp', 'ppp'], faults: { ticks: 2, copies: 1 } }),
  'waiting contenders': settingOf({ ...apart, waits: true, leases: 2, ways: ['ppp', 'ppp'], faults: { ticks: 2 } }),
  'votes for the time of a place': settingOf({
    ...apart,
    waits: true,
    orders: [],
    ways: ['ppp', 'llp'],
    ttl: 2,
    place: 1,
    repeats: 1,
    crowded: false,
    fencing: false,
    tokens: 'newest',
    faults: { ticks: 2, rejections: 1, flips: 1 },
    faultyContender: 0,
  }),
  'healing after a member came back empty': settingOf({
    ...apart,
    tokens: 'clock',
    ways: ['ppp', 'pp-'],
    ttl: 1,
    renewals: 1,
    quarantine: 1,
    faults: { ticks: 2, amnesias: 1 },
  }),
};

function searchIn(setting: Setting, flawed: Machine = machine): Found {
  return search(modelOf(setting, flawed), { states: most });
}

describe('a quorum has one holder at a time, and tokens that increase, through', () => {
  const all = Object.entries<Setting>(settings).filter(([, setting]) => isLong || quick.has(setting));

  it.each(all)(
    '%s',
    (title, setting) => {
      const found = searchIn(setting);
      expectSound(title, found);
      expect(found.exhaustive).toBe(true);
    },
    timeout,
  );

  if (isLong) it.each(Object.entries(longer))('%s', (title, setting) => expectSound(title, searchIn(setting)), timeout);

  it(
    `${walks} random schedules with all faults`,
    () => {
      const { failures, steps } = walkAll(manyFaults, { machine, count: walks, mustEnd: false });
      tell(`${walks} schedules, ${steps} steps`);
      expect(failures).toEqual([]);
    },
    timeout,
  );
});

const twoHolders = /A and B hold at once/;
const tokensBack = /token \d+ is granted after \d+/;

describe('it breaks', () => {
  it.each([
    ['with one phase', weaker.onePhase, settings['counters that differ'], tokensBack],
    [
      'where a higher token confirms a lower one',
      weaker.higherTokenConfirms,
      settings['a vote that comes late'],
      tokensBack,
    ],
    [
      'where tokens above the floor confirm, and not equal ones',
      weaker.tokensAboveTheFloor,
      settings['floors that make tokens equal, or not'],
      tokensBack,
    ],
    [
      'where an owner is used twice',
      weaker.ownerTwice,
      settings['an answer that is lost, and a release that is late'],
      /two calls of one owner/,
    ],
    [
      'where the votes of a lost lease go back before what it promised is over',
      weaker.freesWhatWasPromised,
      settings['a lease that is lost, and its votes'],
      twoHolders,
    ],
    [
      'where votes are valid from the reply',
      weaker.validFromTheReply,
      settings['an answer that comes late'],
      twoHolders,
    ],
  ])('%s', async (title, flaws, setting, expected) => {
    expectBroken(title, searchIn(setting, await machineWith(...flaws)), expected);
  });

  it.each<[string, Setting, Partial<Setting>, RegExp]>([
    [
      'where a renewal does not raise the token',
      settings['counters that differ'],
      { store: { restartsTtl: true, guardsToken: true, raisesToken: false } },
      tokensBack,
    ],
    [
      'where a renewal finds any token good',
      settings['a copy of a request that comes late'],
      { store: { restartsTtl: true, guardsToken: false, raisesToken: true } },
      tokensBack,
    ],
    [
      'where a repeat does not restart the ttl',
      settings['an answer that is lost, and a request that is repeated'],
      { store: { restartsTtl: false, guardsToken: true, raisesToken: true } },
      twoHolders,
    ],
    ['where the margin is too small', settings['clocks that run apart'], { margin: 0 }, twoHolders],
    ['where a quarantine is too short', settings['a member that comes back empty'], { quarantine: 1 }, twoHolders],
    [
      'where plain counters come back empty',
      settings['a member that comes back empty'],
      { tokens: 'counter', counters: [0, 3, 0] },
      tokensBack,
    ],
  ])('%s', (title, setting, weak, expected) => {
    expectBroken(title, searchIn({ ...setting, ...weak }), expected);
  });
});
