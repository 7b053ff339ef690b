import { describe, expect, it } from 'vitest';
import { machineWith } from '../../flaws/flawed-machine.ts';
import { modelOf } from '../model/model.ts';
import { problemOf, search } from '../../../../core/test/search/search.ts';
import { manyContenders, walkAll } from '../model/walk.ts';
import { weaker } from '../../flaws/weaker-machines.ts';
import { settingOf } from '../model/setting.ts';
import type { Setting } from '../model/setting.ts';

type Settings = Readonly<Record<string, Setting>>;

const machine = await machineWith();
const timeout = 120_000;
const walks = 200;
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

  it(
    `end in ${walks} random schedules of 8 to 16 contenders`,
    () => {
      const { failures } = walkAll(manyContenders, { machine, count: walks, mustEnd: true });
      expect(failures).toEqual([]);
    },
    timeout,
  );
});

describe('claims stand still for ever', () => {
  it('where each has a position in every queue', async () => {
    const found = search(modelOf(settingOf(two), await machineWith(...weaker.placeInEveryQueue)), { mustEnd: true });
    expect(found.problem).toMatch(/A and B can never go on/);
  });

  it('where one that waits keeps all its votes', async () => {
    const found = search(modelOf(settingOf(two), await machineWith(...weaker.keepsAllVotes)), { mustEnd: true });
    expect(found.problem).toMatch(/A and B can never go on/);
  });

  it('where one that waits keeps all its votes, in random schedules too', async () => {
    const flawed = await machineWith(...weaker.keepsAllVotes);
    const { failures } = walkAll(manyContenders, { machine: flawed, count: 50, mustEnd: true });
    expect(failures.length).toBeGreaterThan(20);
  });

  it('where members have another order in another process', () => {
    const orders = [
      [0, 1],
      [1, 0],
    ];
    const found = search(modelOf(settingOf({ ...two, orders }), machine), { mustEnd: true });
    expect(found.problem).toMatch(/A and B can never go on/);
  });

  it('where one that waits looks for a holder again and again', async () => {
    const setting = settingOf({ members: 3, contenders: 2, ...queueFirst, faults: { looks: Infinity } });
    const found = search(modelOf(setting, await machineWith(...weaker.looksWithoutEnd)), { mustEnd: true });
    expect(found.problem).toMatch(/goes on without an end/);
  });

  it('where a busy answer counts that is older than the wake', async () => {
    const setting = settingOf({ members: 3, contenders: 2, ...queueFirst, faults: { silences: 1 } });
    const found = search(modelOf(setting, await machineWith(...weaker.trustsAnOldBusy)), { mustEnd: true });
    expect(found.problem).toMatch(/B can never go on/);
  });
});
