import { describe, expect, it } from 'vitest';
import { machineWith } from '../../flaws/flawed-machine.ts';
import { modelOf } from '../model/model.ts';
import { problemOf, search } from '../../../../core/test/search/search.ts';
import type { Flaw } from '../../flaws/flawed-module.ts';
import { weaker } from '../../flaws/weaker-machines.ts';
import { settingOf } from '../model/setting.ts';
import type { Setting } from '../model/setting.ts';

type Settings = Readonly<Record<string, Setting>>;

const machine = await machineWith();
const timeout = 120_000;
/** Nothing is known of the key: all members are asked at once. */
const parallel = { crowded: false, fencing: false };
/** Others of the process wait: the member of the queue is asked first. */
const queueFirst = { crowded: true, fencing: false };

/** N members, C contenders. Each takes the key once, and goes on only when a member wakes it. */
const short: Settings = {
  'N2 C2': settingOf({ members: 2, contenders: 2, ...parallel }),
  'N2 C2 with tokens': settingOf({ members: 2, contenders: 2 }),
  'N2 C3': settingOf({ members: 2, contenders: 3, ...parallel }),
  'N2 C3, one gives up': settingOf({ members: 2, contenders: 3, ...queueFirst, faults: { departures: 1 } }),
  'N2 C3, one crashes': settingOf({ members: 2, contenders: 3, ...queueFirst, faults: { crashes: 1 } }),
  'N3 C2': settingOf({ members: 3, contenders: 2, ...parallel }),
  'N3 C2 with tokens, one crashes': settingOf({ members: 3, contenders: 2, crowded: true, faults: { crashes: 1 } }),
  'N2 C2, two changes of who is suspect': settingOf({ members: 2, contenders: 2, ...queueFirst, faults: { flips: 2 } }),
  'N3 C2 with tokens, reaching 110 101': settingOf({
    members: 3,
    contenders: 2,
    crowded: true,
    ways: ['lls', 'lsl'],
  }),
  'N2 C3 with tokens, looks see a holder': settingOf({
    members: 2,
    contenders: 3,
    crowded: true,
    faults: { looks: Infinity },
  }),
  'N3 C2, looks see a holder': settingOf({ members: 3, contenders: 2, ...parallel, faults: { looks: Infinity } }),
  'N3 C3': settingOf({ members: 3, contenders: 3, ...queueFirst }),
};

const longer: Settings = {
  'N2 C3, one crashes, parallel': settingOf({ members: 2, contenders: 3, ...parallel, faults: { crashes: 1 } }),
  'N3 C2, one answer late': settingOf({ members: 3, contenders: 2, ...queueFirst, faults: { silences: 1 } }),
  'N3 C2, two changes of who is suspect': settingOf({ members: 3, contenders: 2, ...queueFirst, faults: { flips: 2 } }),
  'N3 C2, one crashes, parallel': settingOf({ members: 3, contenders: 2, ...parallel, faults: { crashes: 1 } }),
  'N3 C2, reaching 110 011': settingOf({ members: 3, contenders: 2, ...parallel, ways: ['lls', 'sll'] }),
  'N3 C3, reaching 111 110 101': settingOf({
    members: 3,
    contenders: 3,
    ...queueFirst,
    ways: ['lll', 'lls', 'lsl'],
  }),
  'N3 C3 with tokens': settingOf({ members: 3, contenders: 3, crowded: true }),
  'N3 C3, one crashes': settingOf({ members: 3, contenders: 3, ...queueFirst, faults: { crashes: 1 } }),
  'N3 C3, reaching 111 110 011': settingOf({
    members: 3,
    contenders: 3,
    ...queueFirst,
    ways: ['lll', 'lls', 'sll'],
  }),
  'N4 C2': settingOf({ members: 4, contenders: 2, ...queueFirst }),
  'N3 C3, looks see a holder': settingOf({ members: 3, contenders: 3, ...queueFirst, faults: { looks: Infinity } }),
  'N3 C3, parallel': settingOf({ members: 3, contenders: 3, ...parallel }),
};

/** So many states of what is more than a search can visit. */
const most = 60_000;
const two = { members: 2, contenders: 2, ...parallel };
const three = { members: 3, contenders: 2, ...queueFirst };
const looking = { ...three, faults: { looks: Infinity } };
const silent = { ...three, faults: { silences: 1 } };
const reversed = [
  [0, 1],
  [1, 0],
];

describe('claims in ordered queues', () => {
  it.each(Object.entries(short))(
    'end under every schedule: %s',
    (_title, setting) => {
      const found = search(modelOf(setting, machine), { mustEnd: true });
      expect([problemOf(found), found.exhaustive]).toEqual([undefined, true]);
    },
    timeout,
  );

  it.each(Object.entries(longer))(
    'end as far as schedules are visited: %s',
    (_title, setting) => {
      expect(problemOf(search(modelOf(setting, machine), { mustEnd: true, states: most }))).toBeUndefined();
    },
    timeout,
  );
});

describe('claims stand still for ever', () => {
  it.each<[string, readonly Flaw[], Parameters<typeof settingOf>[0], RegExp]>([
    ['each has a position in every queue', weaker.placeInEveryQueue, two, /A and B can never go on/],
    ['one that waits keeps all its votes', weaker.keepsAllVotes, two, /A and B can never go on/],
    ['members have another order in another process', [], { ...two, orders: reversed }, /A and B can never go on/],
    ['one that waits looks for a holder again and again', weaker.looksWithoutEnd, looking, /goes on without an end/],
    ['a busy answer counts that is older than the wake', weaker.trustsAnOldBusy, silent, /B can never go on/],
  ])('where %s', async (_title, flaws, setting, problem) => {
    const found = search(modelOf(settingOf(setting), await machineWith(...flaws)), { mustEnd: true });
    expect(found.problem).toMatch(problem);
  });
});
