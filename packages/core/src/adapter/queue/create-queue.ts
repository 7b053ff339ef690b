import { Acquire } from './acquire.ts';
import { ProcessQueue } from './process-queue.ts';
import type { Queue, QueueParts } from './queue-parts.ts';

/** One queue for all claims of a provider: `tryAcquire` with places, order and wakes. */
export function createQueue(parts: QueueParts): Queue {
  const queue = new ProcessQueue(parts);
  const { claims, arrivals } = queue;
  return {
    tryAcquire: (claim, wake) => new Acquire(queue, claim).run(wake),
    waitsFor: (key) => claims.waitsFor(key),
    leave(owner) {
      const mine = claims.get(owner);
      if (mine === undefined) return false;
      const { waits } = mine;
      claims.leave(mine);
      arrivals.pass(mine);
      return waits;
    },
    wake(owner, assigned) {
      if (assigned !== undefined) claims.get(owner)?.assign(assigned);
      claims.notifyLater(owner, 'own');
    },
    close: (reason) => queue.close(reason),
  };
}
