import { describe, expect, it } from 'vitest';
import type { Machine } from '../model/contender.ts';
import { machineWith } from '../../flaws/flawed-machine.ts';
import { modelOf } from '../model/model.ts';
import { problemOf, search } from '../../../../core/test/search/search.ts';
import type { Found } from '../../../../core/test/search/search.ts';
import { weaker } from '../../flaws/weaker-machines.ts';
import { longer, settings } from '../model/protocol-settings.ts';
import type { Setting } from '../model/setting.ts';

const machine = await machineWith();
const timeout = 120_000;
/** So many states of what is more than a search can visit. */
const most = 60_000;

type Name = keyof typeof settings;

/** All of their states are visited. */
const quick = new Set<Name>([
  'counters that differ',
  'floors that make tokens equal, or not',
  'a copy of a request that comes late',
  'a vote that comes late',
  'an answer that comes late',
  'clocks that run apart',
  'a member that comes back empty',
]);

function searchIn(setting: Setting, flawed: Machine = machine, states = Infinity): Found {
  return search(modelOf(setting, flawed), { states });
}

describe('a quorum has one holder at a time, and tokens that increase, through', () => {
  it.each([...quick])(
    '%s',
    (name) => {
      const found = searchIn(settings[name]);
      expect([problemOf(found), found.exhaustive]).toEqual([undefined, true]);
    },
    timeout,
  );

  const others = Object.entries<Setting>({ ...settings, ...longer }).filter(([name]) => !quick.has(name as Name));

  it.each(others)(
    '%s, as far as it is visited',
    (_title, setting) => expect(problemOf(searchIn(setting, machine, most))).toBeUndefined(),
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
  ])(
    '%s',
    async (_title, flaws, setting, expected) => {
      expect(searchIn(setting, await machineWith(...flaws)).problem).toMatch(expected);
    },
    timeout,
  );

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
  ])(
    '%s',
    (_title, setting, weak, expected) => {
      expect(searchIn({ ...setting, ...weak }).problem).toMatch(expected);
    },
    timeout,
  );
});
