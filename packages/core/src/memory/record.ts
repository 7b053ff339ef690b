import type { Claim, Mode } from '../contract.ts';
import { Queue } from './queue.ts';
import type { Waiter } from './queue.ts';

/** A hold on one key. */
export interface Hold {
  readonly owner: string;
  mode: Mode;
  permits: number | undefined;
  token: number;
  expires: number;
}

/**
 * The state of one key, and the rules of admission: protocol 3, the directed hand-off queue. Only the head of the line is
 * ever eligible, so that a writer does not starve behind readers.
 */
export class KeyRecord {
  readonly key: string;
  readonly holds: Map<string, Hold> = new Map();
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
    for (const hold of this.holds.values()) if (hold.expires <= now) this.holds.delete(hold.owner);
    this.queue.purge(now);
  }

  /** Whether the store's holders leave room for one more of this kind. */
  admits({ mode, permits }: Pick<Claim, 'mode'> & { readonly permits?: number | undefined }): boolean {
    if (this.holds.size === 0) return true;
    if (mode === 'exclusive') return false;
    for (const hold of this.holds.values()) if (hold.mode === 'exclusive') return false;
    return this.holds.size < (permits ?? Infinity);
  }

  /** The permits fixed by those who share the key or wait to. `undefined`: nobody does. */
  fixedPermits(): { readonly permits: number | undefined } | undefined {
    for (const hold of this.holds.values()) if (hold.mode === 'shared') return hold;
    return this.queue.sharedPermits();
  }

  /** The head of the line if it should try now: somebody tells it at the end of every operation. */
  admissibleHead(except: string): Waiter | undefined {
    const { head } = this.queue;
    return head !== undefined && head.owner !== except && this.admits(head) ? head : undefined;
  }

  earliestExpiry(): number {
    let earliest = Infinity;
    for (const hold of this.holds.values()) earliest = Math.min(earliest, hold.expires);
    return earliest;
  }
}
