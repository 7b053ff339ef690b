import type { LockObject } from './lock-object.ts';

/** What a caller of `Locks` may ask of each lock that has one holder at a time. */
const exclusive = [
  'locks-counter',
  'locks-try',
  'locks-tokens',
  'locks-renewal',
  'locks-loss-by-force',
  'locks-loss-by-renewal',
  'locks-loss-before-expiry',
  'locks-loss-signal',
  'locks-max-hold',
  'locks-timeout',
  'locks-abort',
  'locks-abort-at-random',
  'locks-close-of-provider',
  'locks-close',
  'locks-work-throws',
  'locks-work-after-loss',
  'locks-unknown-attempt-given-up',
  'locks-outage-is-not-contention',
];

/** Of those, what asks for neither `wait` nor `renew`, which an election has not. */
const ofTerms = ['locks-counter', 'locks-tokens', 'locks-renewal', 'locks-loss-by-renewal', 'locks-max-hold'];

/** All lock objects of core, in the order of the table in the documentation. */
export const lockObjects: readonly LockObject[] = [
  { name: 'mutex', exclusive, own: ['locks-deadlock'] },
  {
    name: 'reentrant mutex, outermost hold',
    exclusive,
    own: ['locks-reentrant', 'locks-reentrant-elsewhere'],
  },
  {
    name: 'read/write lock, write side',
    needs: { shared: true },
    exclusive,
    own: ['locks-read-write-lock', 'locks-downgrade', 'locks-deadlock-shared'],
  },
  {
    name: 'semaphore of one permit',
    needs: { shared: true },
    exclusive,
    own: ['locks-take'],
  },
  {
    name: 'multi-lock of one key',
    exclusive,
    own: [],
  },
  {
    name: 'multi-lock of three keys',
    exclusive,
    own: ['locks-multi-lock', 'locks-multi-lock-loss'],
  },
  { name: 'elected leader', exclusive: ofTerms, own: ['locks-election', 'locks-election-again'] },
  {
    name: 'hand-over of a lease',
    needs: { expiry: 'ttl' },
    exclusive: [],
    own: ['locks-hand-over', 'locks-hand-over-giver'],
  },
  {
    name: 'once in a slot',
    needs: { expiry: 'ttl' },
    exclusive: [],
    own: ['locks-once', 'locks-once-every'],
  },
];
