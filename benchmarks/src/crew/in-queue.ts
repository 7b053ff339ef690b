import { now, sleep } from '../measure/clock.ts';
import type { Places } from '../subjects/party.ts';

/**
 * Until nearly all have a position or the lock: during a hand-over, a worker is always between
 * both. At most 5 s.
 */
export async function inQueue(places: Places, workers: number, granted: () => number): Promise<void> {
  const end = now() + 5_000;
  const enough = Math.ceil(workers * 0.9);
  while (places.waiting().length + Math.min(granted(), 1) < enough && now() < end) await sleep(5);
}
