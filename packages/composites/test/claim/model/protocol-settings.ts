import { settingOf } from './setting.ts';
import type { Setting } from './setting.ts';

type Given = Parameters<typeof settingOf>[0];

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
export const settings = {
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
  'a vote that comes late': settingOf({ ...apart, tokens: 'newest', ways: ['lpp', 'pp-'], faults: { ticks: 2 } }),
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

/** All of this together is more than a search can visit. */
export const longer: Readonly<Record<string, Setting>> = {
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
