import { LockError } from '../../src/index.ts';
import type { LockProvider } from '../../src/index.ts';

/** A provider whose store can be cut off. */
export interface Breakable extends LockProvider {
  /** Its calls reject, and reach the store no more. */
  down: boolean;
}

export function breakable(provider: LockProvider): Breakable {
  const check = async (): Promise<void> => {
    if (made.down) throw new LockError('LOCK_UNAVAILABLE', 'The store is cut off.', { sent: false });
  };
  const made: Breakable = {
    down: false,
    name: provider.name,
    traits: provider.traits,
    async tryAcquire(claim, wake) {
      await check();
      return await provider.tryAcquire(claim, wake);
    },
    async renew(claim, token) {
      await check();
      return await provider.renew(claim, token);
    },
    async release(claim) {
      await check();
      return await provider.release(claim);
    },
    async inspect(key) {
      await check();
      return await provider.inspect(key);
    },
    async *list(prefix) {
      await check();
      yield* provider.list?.(prefix) ?? [];
    },
    async time() {
      await check();
      return (await provider.time?.()) ?? 0;
    },
    async register(name, change) {
      await check();
      return await provider.register?.(name, change);
    },
    close: () => provider.close(),
  };
  return made;
}
