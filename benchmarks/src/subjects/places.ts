import { subscribe } from 'node:diagnostics_channel';
import type { Lease, WaitMessage } from '@locks/core';
import { now } from '../measure/clock.ts';
import type { Held, Places } from './party.ts';

/**
 * Of `@locks`: a claim has its place at the latest when its first attempt was answered, for then it
 * says that it waits.
 */
export function watchPlaces(key: string): Places {
  const placedAt = new Map<string, number>();
  subscribe('locks:wait', (message) => {
    const { key: waitedFor, owner } = message as WaitMessage;
    if (waitedFor === key) placedAt.set(owner, now());
  });
  return {
    of(held: Held) {
      const { owner } = held as Lease;
      const place = placedAt.get(owner);
      placedAt.delete(owner);
      return place ?? Infinity;
    },
    waiting: () => [...placedAt.values()],
  };
}
