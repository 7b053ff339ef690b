import { describe, expect, it } from 'vitest';
import type { Machine } from '../model/contender.ts';
import { machineWith } from '../../flaws/flawed-machine.ts';
import { modelOf } from '../model/model.ts';
import { expectBroken, expectSound, isLong, tell } from '../../../../core/test/search/report.ts';
import { search } from '../../../../core/test/search/search.ts';
import type { Found } from '../../../../core/test/search/search.ts';
import { manyFaults, walkAll } from '../model/walk.ts';
import { weaker } from '../../flaws/weaker-machines.ts';
import { longer, settings } from '../model/protocol-settings.ts';
import type { Setting } from '../model/setting.ts';

const machine = await machineWith();
const timeout = isLong ? 3_600_000 : 60_000;
const walks = isLong ? 200_000 : 2_000;
const most = isLong ? 3_000_000 : Infinity;

const quick = new Set<Setting>([
  settings['counters that differ'],
  settings['floors that make tokens equal, or not'],
  settings['a copy of a request that comes late'],
  settings['a vote that comes late'],
  settings['an answer that comes late'],
  settings['clocks that run apart'],
  settings['a member that comes back empty'],
]);

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
  ])(
    '%s',
    async (title, flaws, setting, expected) => {
      expectBroken(title, searchIn(setting, await machineWith(...flaws)), expected);
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
    (title, setting, weak, expected) => {
      expectBroken(title, searchIn({ ...setting, ...weak }), expected);
    },
    timeout,
  );
});
