import type { Backend } from './backends/backend.ts';
import { unguarded } from './backends/quorum.ts';
import { noOwnerCheck } from './backends/redis.ts';

/** A lock that is flawed, and what the checker must say of it. */
export interface FlawedLock {
  readonly name: string;
  readonly backend: Backend;
  readonly mustFind: readonly RegExp[];
}

const noLock: Backend = {
  clients: [],
  start: async () => ({ servers: [], target: () => ({ ttl: 300, flawed: 'none' }), stop: async () => {} }),
};

export const flawedLocks: readonly FlawedLock[] = [
  {
    name: 'no lock at all',
    backend: noLock,
    mustFind: [
      /^two holders of/,
      /^\d+ holders of the 2 permits/,
      /was given twice/,
      /went back/,
      /was lost: .* wrote/,
    ],
  },
  { name: 'a release without owner check', backend: noOwnerCheck, mustFind: [/^two holders of/] },
  {
    name: 'a quorum whose servers come back empty, without restartGuard',
    backend: unguarded,
    mustFind: [/^two holders of/],
  },
];
