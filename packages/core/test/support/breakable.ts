import { LockError } from '../../src/index.ts';
import type { LockProvider } from '../../src/index.ts';
import { through } from './through.ts';

/** A provider whose store can be cut off. */
export interface Breakable extends LockProvider {
  /** Its calls reject, and reach the store no more. */
  down: boolean;
}

export function breakable(provider: LockProvider): Breakable {
  const pass = async <T>(call: () => Promise<T>): Promise<T> => {
    if (made.down) throw new LockError('LOCK_UNAVAILABLE', 'The store is cut off.', { sent: false });
    return await call();
  };
  const made: Breakable = {
    ...through(provider, pass),
    down: false,
    async *list(prefix) {
      await pass(async () => {});
      yield* provider.list?.(prefix) ?? [];
    },
    time: () => pass(async () => (await provider.time?.()) ?? 0),
    register: (...given) => pass(async () => await provider.register?.(...given)),
  };
  return made;
}
