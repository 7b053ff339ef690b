import type { KeyState, Mode } from '../contract.ts';
import type { LockState } from '../lock-state.ts';
import { checkKey } from '../options/key.ts';
import type { JointCalls } from './joint-calls.ts';

/** Some shares of a key, or the whole key. */
export interface Share {
  readonly mode: Mode;
  /** The most holders. `undefined`: unlimited. */
  readonly permits?: number | undefined;
  /** @default 1 */
  readonly count?: number;
}

/** What the objects of one key share: the key, and its state in the store. */
export abstract class LockObject {
  readonly key: string;
  readonly #locks: JointCalls;

  constructor(locks: JointCalls, key: string) {
    checkKey(key);
    this.key = key;
    this.#locks = locks;
  }

  static isOf(object: unknown, locks: JointCalls): object is LockObject {
    return object instanceof LockObject && object.#locks === locks;
  }

  /** What one call takes. */
  protected abstract get share(): Share;

  async inspect(): Promise<LockState> {
    return await this.#locks.inspect(this.key);
  }

  async isLocked(): Promise<boolean> {
    return !hasRoom(await this.inspect(), this.share);
  }
}

/** Whether the holders in `state` leave room for `share`. Claims in the queue do not count. */
function hasRoom(state: KeyState, { mode, permits = Infinity, count = 1 }: Share): boolean {
  return mode === 'exclusive' ? state.holders.length === 0 : freePermits(state, permits) >= count;
}

export function freePermits({ holders }: KeyState, permits: number): number {
  if (holders.some(({ mode }) => mode === 'exclusive')) return 0;
  return Math.max(0, permits - holders.length);
}
