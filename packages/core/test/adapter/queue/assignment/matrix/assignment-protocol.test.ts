import { describe, expect, it } from 'vitest';
import { expectBroken, expectSound, isLong } from '../../../../search/report.ts';
import { search } from '../../../../search/search.ts';
import type { Found } from '../../../../search/search.ts';
import { modelOf } from '../model.ts';
import { atAnyAge, rules, weaker } from '../rules.ts';
import type { Faults, Rules, Setting } from '../world.ts';

const timeout = isLong ? 3_600_000 : 60_000;
const most = isLong ? 5_000_000 : Infinity;

type Given = Partial<Omit<Setting, 'faults'>> & { readonly faults?: Partial<Faults> };

function settingOf({ faults = {}, ...given }: Given): Setting {
  return {
    assignable: [true, true],
    ttl: 2,
    placeTtl: 2,
    lookEvery: 1,
    looks: 1,
    renewals: 0,
    guarded: false,
    detects: false,
    prompt: false,
    deadHeads: false,
    mostUnused: Infinity,
    ...given,
    faults: { ticks: 3, crashes: 0, losses: 0, drops: 0, restarts: 0, ...faults },
  };
}

const prompt = { prompt: true, ttl: 4, placeTtl: 3, lookEvery: 1 } as const;

/** Two heads of a queue die, and a third process waits. */
const deadHeads = {
  ...prompt,
  ttl: 3,
  placeTtl: 2,
  assignable: [true, true, true],
  deadHeads: true,
} as const;

const settings = {
  'messages that are late or lost': settingOf({ faults: { ticks: 3, drops: 1 } }),
  'calls that are late or lost': settingOf({ faults: { ticks: 1, losses: 1 } }),
  'processes that crash': settingOf({ faults: { ticks: 2, crashes: 1, drops: 1 } }),
  'renewals of the lease': settingOf({ looks: 0, renewals: 1, faults: { ticks: 3 } }),
  'places that lapse': settingOf({ placeTtl: 1, faults: { ticks: 3 } }),
  'a waiter that only knows wakes': settingOf({ assignable: [true, false], faults: { ticks: 2, drops: 1 } }),
  'a server that comes back': settingOf({ guarded: true, looks: 0, faults: { ticks: 3, restarts: 1 } }),
} satisfies Readonly<Record<string, Setting>>;

const longer: Readonly<Record<string, Setting>> = {
  'messages that are later': settingOf({ faults: { ticks: 5, drops: 1 } }),
  'calls that are later': settingOf({ faults: { ticks: 3, losses: 1 } }),
  'renewals and looks': settingOf({ renewals: 1, faults: { ticks: 4 } }),
  'three processes': settingOf({ assignable: [true, true, true], looks: 0, faults: { ticks: 3, crashes: 1 } }),
  'three processes of two releases': settingOf({
    assignable: [true, false, true],
    looks: 0,
    faults: { ticks: 3, drops: 1 },
  }),
  'all faults at once': settingOf({ renewals: 1, faults: { ticks: 4, crashes: 1, losses: 1, drops: 1 } }),
};

function searchIn(setting: Setting, use: Rules): Found {
  return search(modelOf(setting, use), { states: most });
}

describe('a queue that assigns its key has one holder at a time, and tokens that increase, with', () => {
  const cases = Object.entries<Setting>({ ...settings, ...(isLong ? longer : {}) });
  const uses = { 'the rule of the queue': rules, 'grants of any age': atAnyAge };
  it.each(
    cases.flatMap(([title, setting]) =>
      Object.entries(uses).map(([use, each]) => [title, use, setting, each] as const),
    ),
  )(
    '%s, and %s',
    (title, use, setting, each) => {
      const found = searchIn(setting, each);
      expectSound(`${title}, ${use}`, found);
      if (!isLong) expect(found.exhaustive).toBe(true);
    },
    timeout,
  );
});

describe('the key is unused for a bounded time', () => {
  it.each<readonly [string, Setting, number]>([
    ['where nothing fails', settingOf({ ...prompt, faults: { ticks: 6 } }), 1],
    ['where a message is lost: until the next look', settingOf({ ...prompt, faults: { ticks: 6, drops: 1 } }), 1],
    [
      'where a head is gone, and seen to be',
      settingOf({ ...prompt, detects: true, faults: { ticks: 8, crashes: 1 } }),
      prompt.ttl + 1,
    ],
    [
      'where a head is gone: until its place lapses',
      settingOf({ ...prompt, faults: { ticks: 8, crashes: 1 } }),
      prompt.ttl + 1,
    ],
    [
      'where heads are gone: their places lapse together',
      settingOf({ ...deadHeads, faults: { ticks: isLong ? 6 : 4, crashes: 2 } }),
      deadHeads.placeTtl + deadHeads.lookEvery,
    ],
  ])(
    '%s',
    (title, setting, mostUnused) => {
      expectSound(title, searchIn({ ...setting, mostUnused }, rules));
    },
    timeout,
  );
});

const twoHolders = /hold the key at once/;

describe('it breaks', () => {
  it.each<readonly [string, Rules, Setting, RegExp]>([
    [
      'where a grant lasts from its message',
      weaker.countsFromMessage,
      settings['messages that are late or lost'],
      twoHolders,
    ],
    [
      'where a grant lasts from the last busy answer, as a message may be older',
      weaker.countsFromBusy,
      settingOf({ looks: 2, ttl: 2, faults: { ticks: 3 } }),
      twoHolders,
    ],
    [
      'where an assignment to a gone head never lapses',
      weaker.neverLapses,
      settingOf({ ...prompt, mostUnused: prompt.placeTtl + prompt.lookEvery, faults: { ticks: 8, crashes: 1 } }),
      /the key is unused/,
    ],
    [
      'where an assignment to a gone head lasts longer than its place',
      weaker.lapsesLate,
      settingOf({
        ...deadHeads,
        mostUnused: deadHeads.placeTtl + deadHeads.lookEvery,
        faults: { ticks: 4, crashes: 2 },
      }),
      /the key is unused/,
    ],
    [
      'where a message tells the token of another',
      weaker.tokenOfAnother,
      settings['messages that are late or lost'],
      /is granted to P\d after/,
    ],
    [
      'where the release of a waiter keeps what it was assigned',
      weaker.keepsReleased,
      settings['messages that are late or lost'],
      /after its release/,
    ],
    [
      'where a repeat does not restart the ttl',
      weaker.doesNotRestart,
      settings['messages that are late or lost'],
      twoHolders,
    ],
    [
      'where a server that has come back assigns at once',
      weaker.assignsGuarded,
      settingOf({
        assignable: [true, true, true],
        guarded: true,
        looks: 0,
        ttl: 3,
        placeTtl: 3,
        faults: { ticks: 0, restarts: 1 },
      }),
      twoHolders,
    ],
  ])(
    '%s',
    (title, use, setting, expected) => {
      expectBroken(title, searchIn(setting, use), expected);
    },
    timeout,
  );
});
