import type { Claim } from '../contract.ts';
import { Holds } from './holds.ts';
import { Queue } from './queue.ts';
import type { Waiter } from './queue.ts';

/**
 * The state of one key, and the rules of admission: protocol 3, the directed hand-off queue. Only
 * the head of the line is ever eligible, so that a writer does not starve behind readers.
 */
export class KeyRecord {
  readonly key: string;
  readonly holds: Holds = new Holds();
  readonly queue: Queue = new Queue();
  /** The highest token ever minted or told. */
  token = 0;

  constructor(key: string) {
    this.key = key;
  }

  get idle(): boolean {
    return this.holds.size === 0 && this.queue.size === 0;
  }

  purge(now: number): void {
    this.holds.purge(now);
    this.queue.purge(now);
  }

  /** Whether the store's holders leave room for one more of this kind. */
  admits({ mode, permits }: Pick<Claim, 'mode'> & { readonly permits?: number | undefined }): boolean {
    const { any } = this.holds;
    if (any === undefined) return true;
    return mode === 'shared' && any.mode === 'shared' && this.holds.size < (permits ?? Infinity);
  }

  /** The permits fixed by claims that share the key or wait to. `undefined`: there is none. */
  fixedPermits(): { readonly permits: number | undefined } | undefined {
    const { any } = this.holds;
    if (any?.mode !== 'shared') return this.queue.sharedPermits();
    if (!any.resize) return any;
    return this.holds.all().find(({ resize }) => !resize) ?? this.queue.sharedPermits();
  }

  /** The head of the line if it should try now: each operation ends by telling it. */
  admissibleHead(except: string): Waiter | undefined {
    const { head } = this.queue;
    return head !== undefined && head.owner !== except && this.admits(head) ? head : undefined;
  }

  earliestExpiry(): number {
    let earliest = Infinity;
    for (const hold of this.holds.all()) earliest = Math.min(earliest, hold.expires);
    return earliest;
  }
}
