import type { LockState } from '../lock-state.ts';
import { checkKey } from '../options/key.ts';
import { hasRoom } from './room.ts';
import type { Share } from './room.ts';
import type { JointCalls } from './joint-calls.ts';

/** What the objects of one key share: which key, and what the store says of it. */
export abstract class LockObject {
  readonly key: string;
  readonly #locks: JointCalls;

  constructor(locks: JointCalls, key: string) {
    checkKey(key);
    this.key = key;
    this.#locks = locks;
  }

  /** Whether `locks` made `object`. */
  static isOf(object: unknown, locks: JointCalls): object is LockObject {
    return object instanceof LockObject && object.#locks === locks;
  }

  /** What one call of it takes. */
  protected abstract get share(): Share;

  async inspect(): Promise<LockState> {
    return await this.#locks.inspect(this.key);
  }

  async isLocked(): Promise<boolean> {
    return !hasRoom(await this.inspect(), this.share);
  }
}
