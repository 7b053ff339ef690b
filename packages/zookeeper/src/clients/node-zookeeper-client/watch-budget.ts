import type { NodeZookeeperClient } from './client.ts';
import { chrootOf } from './insides.ts';

/**
 * In bytes. The client sets all its watches again in one request. The servers close the connection
 * for one of more than a mebibyte.
 */
const most = 512 * 1_024;

/** By client: several providers may use one. */
const budgets = new WeakMap<NodeZookeeperClient, WatchBudget>();

export function watchBudgetOf(client: NodeZookeeperClient): WatchBudget {
  const budget = budgets.get(client) ?? new WatchBudget(Buffer.byteLength(chrootOf(client)));
  budgets.set(client, budget);
  return budget;
}

/** The paths that a client watches, limited to what it can set again after a reconnect. */
export class WatchBudget {
  readonly #chroot: number;
  readonly #paths = new Set<string>();
  #bytes = 0;

  /** @param chroot Precedes each path, in bytes. */
  constructor(chroot: number) {
    this.#chroot = chroot;
  }

  /** `false`: there are too many. */
  take(path: string): boolean {
    if (this.#paths.has(path)) return true;
    const bytes = this.#bytes + this.#sizeOf(path);
    if (bytes > most) return false;
    this.#bytes = bytes;
    this.#paths.add(path);
    return true;
  }

  /** The watch has fired, or was not set. */
  give(path: string): void {
    if (this.#paths.delete(path)) this.#bytes -= this.#sizeOf(path);
  }

  #sizeOf(path: string): number {
    return 4 + this.#chroot + Buffer.byteLength(path);
  }
}
