import { isDeepStrictEqual } from 'node:util';
import type { KeyState } from '@locks/core';
import type { Difference, Exemption } from './options.ts';

/** Intended differences between the stores of this project and the rules. */
export const exemptions: readonly (Exemption & { readonly stores: readonly string[] })[] = [
  {
    id: 'absent-head',
    stores: ['Postgres', 'MariaDB'],
    reason: 'a notified head that does not try loses its position in a sixth of the time (queue.sql)',
    // The next in the queue may be the head, and a number may be free.
    covers: (difference) => isAboutQueue(difference) && isOpen(difference),
  },
  {
    id: 'absent-process',
    stores: ['redis', 'Postgres', 'MariaDB'],
    reason: 'a place ends before its ttl where its process has no subscription or session (algorithm.lua, queue.sql)',
    covers: (difference) => [...difference.after].some((step) => step !== 'batch') && isAboutQueue(difference),
  },
  {
    id: 'one-tick',
    stores: ['etcd'],
    reason: 'first attempts of one tick may overtake each other, as etcd answers requests in parallel (provider.ts)',
    covers: ({ what, after }) => after.has('batch') && what !== 'register' && what !== 'time',
  },
  {
    id: 'sharers-of-one-tick',
    stores: ['Postgres', 'MariaDB', 'etcd'],
    reason:
      'sharers without permits do not keep each other out, so their order in one tick means nothing (arrivals.ts)',
    covers({ what, after, before, answer, expected }) {
      if (!after.has('batch')) return false;
      if (what === 'queue') return isDeepStrictEqual(orderOf(answer), orderOf(expected));
      return what === 'token' && before.holds[0]?.mode === 'shared';
    },
  },
  {
    id: 'floor-of-a-place',
    stores: ['zookeeper'],
    reason: 'the token is settled by the attempt that finds its node first, with the floor of that attempt',
    covers: ({ what, before }) => what === 'token' && before.holds.some(({ assigned }) => assigned),
  },
];

/** The queue in an inspection, without the sharers that do not keep each other out. */
function orderOf(state: unknown): readonly string[] {
  const { queue = [] } = state as Partial<KeyState>;
  return queue.filter(({ mode, permits }) => mode !== 'shared' || permits !== undefined).map(({ owner }) => owner);
}

/** The rows for one store. */
export function exemptionsOf(store: string): readonly Exemption[] {
  return exemptions.filter(({ stores }) => stores.includes(store));
}

/** Another position in the queue explains it. */
function isAboutQueue({ what, before }: Difference): boolean {
  const places = [...before.queue, ...before.holds.filter(({ assigned }) => assigned)];
  return places.length > 0 && !['token', 'remaining', 'retryAfter', 'time', 'register'].includes(what);
}

/** The head of the queue could proceed. */
function isOpen({ before: { holds, queue } }: Difference): boolean {
  return holds.length === 0 || [queue[0], holds[0]].every((one) => one?.mode === 'shared');
}
